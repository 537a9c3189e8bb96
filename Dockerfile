# One executable on a small base. Build: docker build -t lyra .   Run: docker run -p 3008:3008 -v lyra:/data lyra serve
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY scripts/setup.mjs scripts/
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && install -d -m 700 /data && mkdir -p /licences/swagger-ui-dist \
  && cp LICENSE THIRD_PARTY_NOTICES.md /licences/ \
  && cp node_modules/swagger-ui-dist/LICENSE node_modules/swagger-ui-dist/NOTICE /licences/swagger-ui-dist/

FROM gcr.io/distroless/base-debian12:nonroot
COPY --from=build /src/dist/lyra /usr/local/bin/lyra
COPY --from=build /src/data/sample.evts.gz /usr/share/lyra/sample.evts.gz
COPY --from=build /licences /usr/share/doc/lyra
# A volume is made with the rights of the folder below it: without this it is root's, and nothing can be written.
COPY --from=build --chown=65532:65532 /data /data
ENV LYRA_HOME=/data LYRA_HOST=0.0.0.0
VOLUME /data
EXPOSE 3008
ENTRYPOINT ["/usr/local/bin/lyra"]
CMD ["replay", "/usr/share/lyra/sample.evts.gz", "--serve"]
