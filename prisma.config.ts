import { defineConfig } from 'prisma/config';

// `prisma generate` looks for a schema engine that it never runs; naming any executable keeps it from downloading one.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({
  schema: 'prisma/schema',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://gantry@127.0.0.1/gantry' },
});
