// Package foldersync keeps a folder of files and the documents of an agent in step, in both directions.
package foldersync
