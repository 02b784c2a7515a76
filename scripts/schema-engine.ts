import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import pg from 'pg';

/** The part of Prisma's schema engine that this project calls. */
export interface SchemaEngine {
  diff(input: unknown): Promise<{ exitCode: number; stdout: string | null }>;
}

/** Prisma's schema engine, in process as WebAssembly: no binary is downloaded. `url` names a database it may read. */
export async function schemaEngine(url: string): Promise<SchemaEngine> {
  const folder = path.dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg'));
  const glue = await import(path.join(folder, 'schema_engine_bg.js'));
  // Where the engine leaves the message of a panic.
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: { set_message: (message: string) => console.error(message) },
  });
  const wasm = fs.readFileSync(path.join(folder, 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(wasm, { './schema_engine_bg.js': glue });
  glue.__wbg_set_wasm(instance.exports);
  (instance.exports.__wbindgen_start as () => void)();
  return glue.SchemaEngine.new(
    { datamodels: schemaFiles().map(({ path, content }) => [path, content]) },
    () => {},
    bindMigrationAwareSqlAdapterFactory(catalogueAdapter(url)),
  );
}

/** SQL that leads from the database at `url` to the models in prisma/schema; null when they agree. */
export async function schemaDrift(url: string): Promise<string | null> {
  const engine = await schemaEngine(url);
  const files = schemaFiles();
  const { exitCode, stdout } = await engine.diff({
    from: { tag: 'schemaDatasource', files, configDir: process.cwd() },
    to: { tag: 'schemaDatamodel', files },
    script: true,
    exitCode: true,
    shadowDatabaseUrl: null,
    filters: { externalTables: [], externalEnums: [] },
  });
  return exitCode === 2 ? stdout : null;
}

const CHAR = 18;
const UUID = 2950;

/**
 * The catalogues use the type "char", which the adapter does not know and the engine wants as a character:
 * its columns pass the adapter as uuid, a type that no catalogue has, and are renamed behind it.
 */
function catalogueAdapter(url: string): PrismaPg {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<pg.QueryResult>;
  const renaming = async (...args: unknown[]) => {
    const result = await query(...args);
    for (const field of result.fields ?? []) if (field.dataTypeID === CHAR) field.dataTypeID = UUID;
    return result;
  };
  const factory = new PrismaPg(Object.assign(pool, { query: renaming }), { disposeExternalPool: true });
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (sql) => {
      const result = await queryRaw(sql);
      const { Uuid, Character } = ColumnTypeEnum;
      return { ...result, columnTypes: result.columnTypes.map((type) => (type === Uuid ? Character : type)) };
    };
    return adapter;
  };
  return factory;
}

function schemaFiles(): { path: string; content: string }[] {
  const folder = path.resolve(import.meta.dirname, '../prisma/schema');
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.prisma'))
    .sort()
    .map((name) => ({
      path: path.join(folder, name),
      content: fs.readFileSync(path.join(folder, name), 'utf8'),
    }));
}
