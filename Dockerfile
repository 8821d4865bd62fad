# Builds an image with one static binary: no shell, no package manager, nothing to patch but Reverie itself.
#
#   docker build --build-arg VERSION=1.2.3 --tag reverie:1.2.3 .

FROM golang:1.26.8-trixie AS build
WORKDIR /src

# Modules change less often than sources, so cache their layer.
COPY go.mod go.sum ./
COPY client/go.mod client/go.sum client/
RUN --mount=type=cache,target=/go/pkg/mod go mod download

COPY . .
ARG VERSION=dev
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /out/reverie ./cmd/reverie

# /tmp for temporary files; an image from scratch has none.
RUN mkdir /out/tmp && chmod 1777 /out/tmp

FROM scratch
# Certificates for model providers and a managed Temporal. Time zones are embedded in the binary.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/tmp /tmp
COPY --from=build /out/reverie /reverie

# An unprivileged user that owns nothing in the image.
USER 65532:65532
EXPOSE 8080 9090

# Checks the API; docker-compose.yml overrides this for the worker.
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s --retries=3 CMD ["/reverie", "health"]

ENTRYPOINT ["/reverie"]
CMD ["--help"]
