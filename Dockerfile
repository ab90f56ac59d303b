# The image of Waypost. It needs no root, writes only to the volume /data and to /tmp, and so runs with a read-only root
# file system: see deploy/compose.yaml. tests/support/check-container.ts runs the same steps without Docker.

FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY stubs ./stubs
# One of the two names of Bun's binary is enough: layers do not keep hard links.
RUN npm ci --omit=dev --no-audit --no-fund && rm -f node_modules/bun/bin/bunx.exe
COPY bin ./bin
COPY sdk ./sdk
COPY src ./src
COPY dashboard ./dashboard
COPY benchmarks/synthetic ./benchmarks/synthetic
COPY LICENSE tsconfig.json ./
RUN npm run build

FROM node:22-bookworm-slim
ENV NODE_ENV=production WAYPOST_DATA=/data
RUN install --directory --owner=node --group=node --mode=0700 /data
COPY --from=build /app /app
WORKDIR /app
# The user "node" of the base image, by number, so that an orchestrator can check that it is not root.
USER 1000:1000
VOLUME /data
# 3000 without TLS, for probes and proxies; 80 and 443 when Waypost ends TLS itself.
EXPOSE 3000 80 443
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.WAYPOST_PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/waypost.mjs"]
CMD ["serve"]
