import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '#src/platform/database/embedded.ts';
import { migrate } from '#src/platform/database/migrate.ts';
import { createLogger } from '#src/platform/observability/log.ts';
import { schemaDrift } from './schema-engine.ts';

/** Writes the SQL that leads from the migrations so far to prisma/schema: `npm run migration -- add_stars`. */
const [name] = process.argv.slice(2);
if (!name || !/^[a-z0-9_]+$/.test(name)) throw new Error('Usage: npm run migration -- name_of_the_change');
const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'gantry-migration-'));
const postgres = await startEmbeddedPostgres({ dataDir, log: createLogger('error') });
try {
  await migrate(postgres.url);
  const sql = await schemaDrift(postgres.url);
  if (sql === null) console.log('The migrations and prisma/schema agree.');
  else {
    const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
    const folder = path.resolve(import.meta.dirname, `../prisma/migrations/${stamp}_${name}`);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'migration.sql'), sql);
    console.log(`Wrote ${path.relative(process.cwd(), folder)}/migration.sql`);
  }
} finally {
  await postgres.stop();
  fs.rmSync(dataDir, { recursive: true, force: true });
}
