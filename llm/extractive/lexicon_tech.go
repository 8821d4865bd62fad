package extractive

// technologies are names that one moves to, uses or chooses without living there.
var technologies = set(`postgres postgresql mysql mariadb sqlite mongodb mongo redis memcached kafka rabbitmq nats pulsar sqs kinesis
	cassandra dynamodb cockroachdb tidb clickhouse snowflake bigquery redshift elasticsearch opensearch solr kubernetes k8s docker podman
	nomad terraform pulumi ansible helm argo aws gcp azure heroku vercel netlify cloudflare digitalocean hetzner linode fly.io render github
	gitlab bitbucket jenkins circleci jira linear notion slack teams discord zoom figma react vue svelte
	angular solid next.js nuxt remix astro node node.js deno bun express nestjs fastapi django flask rails laravel spring quarkus go golang
	rust python java kotlin scala c c++ c# .net swift typescript javascript ruby php elixir erlang haskell clojure zig nim ocaml perl r julia
	matlab lua dart flutter graphql grpc rest soap protobuf json xml yaml websocket websockets mqtt amqp linux ubuntu debian fedora arch nixos
	windows macos android ios vim neovim emacs vscode vs-code intellij pycharm goland webstorm cursor zed temporal airflow dagster prefect dbt
	spark flink hadoop pandas polars pytorch tensorflow jax langchain openai anthropic claude gpt-4 gemini llama
	mistral ollama pinecone weaviate qdrant milvus pgvector prisma drizzle sqlalchemy hibernate gorm sqlc ent tailwind bootstrap mui vite
	webpack esbuild rollup jest vitest pytest playwright cypress selenium prometheus grafana datadog sentry splunk loki tempo jaeger
	opentelemetry nginx caddy traefik envoy istio linkerd consul vault keycloak auth0 okta firebase supabase neon planetscale stripe paypal
	twilio sendgrid kustomize bazel gradle maven cmake make poetry uv npm yarn pnpm monorepo microservices monolith serverless lambda s3 ec2
	ecs eks gke aks cdk oauth jwt saml oidc sso tls http http/2 http/3 ipv6 uuid uuidv7 ulid`)

// editorsAndSystems make "I'm on …" a lasting fact.
var editorsAndSystems = set(`ubuntu debian fedora arch nixos windows macos mac linux android ios iphone wsl vim neovim emacs vscode mint
	manjaro centos rhel chromeos gentoo opensuse pop!_os`)

// timeZones are names that "I'm in …" may give.
var timeZones = set(`utc gmt cet cest est edt pst pdt mst mdt cst cdt ist jst kst bst eet eest msk aest aedt sgt hkt wib brt art`)

func isTimeZone(low string) bool {
	if timeZones[low] {
		return true
	}
	for _, p := range []string{"utc+", "utc-", "gmt+", "gmt-"} {
		if len(low) > len(p) && low[:len(p)] == p {
			return true
		}
	}
	return false
}

// fields lists the industries and fields that people work "in".
var fields = set(`sales marketing finance it tech healthcare education academia research hr law consulting logistics retail hospitality
	construction insurance banking advertising publishing media government politics manufacturing design engineering qa devops security
	support procurement accounting operations journalism biotech pharma fintech edtech agriculture aviation automotive energy telecom gaming
	film music fashion tourism catering childcare nursing medicine dentistry robotics`)
