# One executable on a small base. Build: docker build -t lyra .   Run: docker run -p 3008:3008 -v lyra:/data lyra serve
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY scripts/setup.mjs scripts/
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build

FROM gcr.io/distroless/base-debian12:nonroot
COPY --from=build /src/dist/lyra /usr/local/bin/lyra
COPY --from=build /src/data/sample.evts.gz /usr/share/lyra/sample.evts.gz
ENV LYRA_HOME=/data LYRA_HOST=0.0.0.0
VOLUME /data
EXPOSE 3008
ENTRYPOINT ["/usr/local/bin/lyra"]
CMD ["replay", "/usr/share/lyra/sample.evts.gz", "--serve"]
