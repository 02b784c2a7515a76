import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, queryJson } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { type ColumnFacts, factsOf, type ModelName } from '#src/platform/records/model.ts';
import { kept, MAX_CACHED_CHARACTERS, rowsJson } from '#src/platform/records/rows.ts';
import { Selection, select } from '#src/platform/records/selection.ts';
import { enums, models } from '../../src/generated/models.ts';
import { Prisma } from '../../src/generated/prisma/client.ts';
import '#src/domain/projects/computed_fields.ts';
import { freshDatabase } from '../support/database.ts';
import { fillTables, ROWS } from '../support/filled_tables.ts';
import { everyNth, LONG } from '../support/long.ts';

const names = Object.keys(models) as ModelName[];
const url = await freshDatabase();
const db = connect(url);
afterAll(() => db.$disconnect());

beforeAll(async () => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await fillTables(client);
  await client.end();
});

/** All columns of a model and, so many levels down, those of all relations. */
function everything(model: ModelName, depth: number): Selection {
  const { columns, relations } = factsOf(model);
  const parts = new Map<string, Selection | null>(Object.keys(columns).map((name) => [name, null]));
  if (depth > 0) {
    for (const [name, { model: target }] of Object.entries(relations)) parts.set(name, everything(target, depth - 1));
  }
  return new Selection(model, parts);
}

/** The same as Prisma's `select`. */
function asPrisma(selection: Selection): object {
  const { relations } = factsOf(selection.model);
  const below = (name: string, part: Selection | null) => {
    if (!part) return true;
    const orderBy = relations[name]?.isMany
      ? { orderBy: factsOf(part.model).key.map((one) => ({ [one]: 'asc' })) }
      : {};
    return { ...asPrisma(part), ...orderBy };
  };
  return { select: Object.fromEntries([...selection.parts].map(([name, part]) => [name, below(name, part)])) };
}

/** What Prisma reads, as JSON has it. */
function asWire(selection: Selection, row: Record<string, unknown> | null): unknown {
  if (row === null) return null;
  const { columns } = factsOf(selection.model);
  return Object.fromEntries(
    [...selection.parts].map(([name, part]) => {
      const value = row[name];
      if (part)
        return [name, Array.isArray(value) ? value.map((one) => asWire(part, one)) : asWire(part, value as never)];
      return [name, wire(columns[name], value)];
    }),
  );
}

function wire(column: ColumnFacts | undefined, value: unknown): unknown {
  if (value instanceof Date) return column?.type === 'Date' ? value.toISOString().slice(0, 10) : value.getTime();
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return value;
}

/** Moments as numbers, however they are written. */
function withMoments(selection: Selection, row: Record<string, unknown> | null): unknown {
  if (row === null) return null;
  const { columns } = factsOf(selection.model);
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const part = selection.parts.get(name);
      if (part) {
        return [
          name,
          Array.isArray(value) ? value.map((one) => withMoments(part, one)) : withMoments(part, value as never),
        ];
      }
      return [name, columns[name]?.type === 'DateTime' && value !== null ? Date.parse(value as string) : value];
    }),
  );
}

async function read(selection: Selection): Promise<Record<string, unknown>[]> {
  const { key } = factsOf(selection.model);
  const row = alias(selection.model, 'x');
  const from = Prisma.sql`SELECT * FROM ${table(row)}`;
  const order = (of: typeof row) => Prisma.join(key.map((name) => Reflect.get(of, name)));
  return queryJson(db, rowsJson(selection, { from, order }));
}

describe('What is selected of a model is what Prisma reads', () => {
  for (const [options, some] of everyNth(18, names)) {
    it.each(some)('%s', options, async (model) => {
      const selection = everything(model, 2);
      const { key } = factsOf(model);
      const delegate = Reflect.get(db, `${model[0]?.toLowerCase()}${model.slice(1)}`);
      const orderBy = key.map((name) => ({ [name]: 'asc' }));
      const found = await delegate.findMany({ ...asPrisma(selection), orderBy });
      const rows = await read(selection);
      expect(rows.length).toBe(ROWS);
      expect(rows.map((row) => withMoments(selection, row))).toEqual(
        found.map((row: Record<string, unknown>) => asWire(selection, row)),
      );
    });
  }
});

describe('A selection', () => {
  it('reads what is asked for and nothing else', async () => {
    const rows = await queryJson<unknown[]>(
      db,
      rowsJson(select('Issue', { iid: true, author: { username: true }, labels: { label: { title: true } } }), {
        from: Prisma.sql`SELECT * FROM issues`,
        order: (issue) => issue.id,
      }),
    );
    for (const row of rows) {
      expect(Object.keys(row as object)).toEqual(['author', 'iid', 'labels']);
      expect(Object.keys((row as { author: object }).author)).toEqual(['username']);
    }
  });

  it('is the same in whatever order it is written', () => {
    expect(select('Issue', { id: true, author: { id: true, name: true } }).key).toBe(
      select('Issue', { author: { name: true, id: true }, id: true }).key,
    );
  });

  it('of two is what either selects, at every level', () => {
    const one = select('Issue', { id: true, author: { id: true } });
    const other = select('Issue', { title: true, author: { name: true }, milestone: { id: true } });
    const both = select('Issue', { id: true, title: true, author: { id: true, name: true }, milestone: { id: true } });
    expect(one.with(other).key).toBe(both.key);
    expect(one.with(select('Issue', { id: true }))).toBe(one);
  });

  it('refuses what the model does not have', () => {
    expect(() => new Selection('Issue', new Map([['nothing', null]]))).toThrow('Issue has no column or value nothing');
    expect(() => new Selection('Issue', new Map([['author', select('Project', { id: true })]]))).toThrow(
      'no relation author',
    );
    expect(() => Reflect.get(alias('Issue', 'i'), 'nothing')).toThrow('Issue has no column nothing');
  });
});

describe('Texts of selections', () => {
  it('are kept up to a bound, however many clients make up', LONG, () => {
    const names = Object.keys(factsOf('ApplicationSettings').columns);
    let made = 0;
    for (let n = 0; n < 6_000; n += 1) {
      const chosen = names.filter((_, index) => (n >> (index % 13)) % 2 === 0 || index === n % names.length);
      const selection = new Selection('ApplicationSettings', new Map(chosen.map((name) => [name, null])));
      made += rowsJson(selection, { from: Prisma.sql`SELECT 1`, order: (row) => row.id }).text.length;
    }
    expect(made).toBeGreaterThan(MAX_CACHED_CHARACTERS);
    expect(kept()).toBeGreaterThan(0);
    expect(kept()).toBeLessThanOrEqual(MAX_CACHED_CHARACTERS);
  });

  it('hold nothing that a request gives', async () => {
    const selection = select('Project', { id: true, accessLevel: true });
    const made = (id: number) =>
      rowsJson(selection, {
        from: Prisma.sql`SELECT * FROM projects`,
        order: (row) => row.id,
        params: { actor: { id, admin: false, external: false, username: 'asker' } },
      });
    expect(made(4711).text).toBe(made(4712).text);
    expect(made(4711).values).toContain(4711);
    expect(made(4712).values).not.toContain(4711);
    expect(() => rowsJson(selection, { from: Prisma.sql`SELECT 1`, order: (row) => row.id })).toThrow(
      'What is selected of Project depends on actor, which is not given',
    );
  });
});

describe('Rows come in the order that is asked for', () => {
  it('whatever is joined to them', LONG, async () => {
    // More users than a nested loop is chosen for: PostgreSQL reads the page through a hash of them.
    await db.$executeRaw`INSERT INTO users (username, name, email, password_hash, private_token_hash, private_token_encrypted)
      SELECT 'many' || n, 'Many', 'many' || n || '@example.org', '', int4send(n), '' FROM generate_series(1, 5000) n`;
    await db.$executeRaw`INSERT INTO labels (project_id, title, color)
      SELECT (SELECT min(id) FROM projects), 'order' || n, '#ffffff' FROM generate_series(1, 3) n`;
    await db.$executeRaw`INSERT INTO issues (iid, project_id, title, author_id, assignee_id)
      SELECT 1000 + n, (SELECT min(id) FROM projects), 't' || n, u.id, u.id FROM (
        SELECT id, row_number() OVER (ORDER BY username DESC) AS n FROM users WHERE username LIKE 'many%') u WHERE n <= 3000`;
    await db.$executeRaw`ANALYZE users, issues`;
    const selection = select('Issue', { iid: true, author: { username: true }, assignee: { name: true } });
    for (const direction of ['ASC', 'DESC']) {
      const rows = await queryJson<{ iid: number }[]>(
        db,
        rowsJson(selection, {
          from: Prisma.sql`SELECT * FROM issues WHERE iid > 1000 ORDER BY iid ${Prisma.raw(direction)} LIMIT 500`,
          order: (issue) => Prisma.sql`${issue.iid} ${Prisma.raw(direction)}`,
        }),
      );
      const iids = rows.map(({ iid }) => iid);
      expect(iids).toEqual([...iids].sort((a, b) => (direction === 'ASC' ? a - b : b - a)));
      expect(iids).toHaveLength(500);
    }
  });
});

describe('The models', () => {
  it('are those of the database: tables, columns, types of enums', async () => {
    const rows = await db.$queryRaw<{ table: string; column: string }[]>`
      SELECT table_name AS table, column_name AS column FROM information_schema.columns WHERE table_schema = 'public'`;
    const stored = new Set(rows.map((row) => `${row.table}.${row.column}`));
    const known = names.flatMap((model) =>
      Object.values(factsOf(model).columns).map(({ name }) => `${factsOf(model).table}.${name}`),
    );
    expect(known.filter((column) => !stored.has(column))).toEqual([]);
    const types = await db.$queryRaw<{ typname: string }[]>`SELECT typname FROM pg_type WHERE typtype = 'e'`;
    const typeNames = types.map(({ typname }) => typname);
    expect(Object.values(enums).filter(({ type }) => !typeNames.includes(type))).toEqual([]);
  });
});
