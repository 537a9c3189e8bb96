# One executable on a small base.
# Build: docker build --build-arg COMMIT=$(git rev-parse --short HEAD) -t lyra .
# Run:   docker run -p 3008:3008 -v lyra:/data lyra serve
#        docker run -p 3008:3008 -p 3003:3003 -p 3005:3005 -v lyra:/data --memory 1g lyra sidecar --events-host 0.0.0.0
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY scripts/setup.mjs scripts/
RUN npm ci --no-audit --no-fund
COPY . .
# The repository is not part of the image: `lyra version` says the commit that is told here.
ARG COMMIT=unknown
RUN LYRA_COMMIT="$COMMIT" npm run build && install -d -m 700 /data && mkdir /licences \
  && cp LICENSE THIRD_PARTY_NOTICES.md dist/THIRD_PARTY_LICENCES.txt /licences/

FROM gcr.io/distroless/base-debian12:nonroot
COPY --from=build /src/dist/lyra /usr/local/bin/lyra
COPY --from=build /src/data/sample.evts.gz /usr/share/lyra/sample.evts.gz
COPY --from=build /licences /usr/share/doc/lyra
# A volume is made with the rights of the folder below it: without this it is root's, and nothing can be written.
COPY --from=build --chown=65532:65532 /data /data
ENV LYRA_HOME=/data LYRA_HOST=0.0.0.0
VOLUME /data
# Data and node API, both over gRPC, the faucet of a devnet (which listens on loopback: with --network host), a core's events.
EXPOSE 3008 3003 3007 3002 1790 3005
# The image has no shell and no curl. Whether the node is ready is for the balancer (/readyz): restarting does not help there.
HEALTHCHECK --interval=15s --timeout=6s --start-period=60s --retries=3 CMD ["/usr/local/bin/lyra", "health", "--quiet"]
ENTRYPOINT ["/usr/local/bin/lyra"]
CMD ["replay", "/usr/share/lyra/sample.evts.gz", "--serve"]
