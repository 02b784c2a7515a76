import { globSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { getOperationAST, parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { compileTool } from '#mcp/engine/compile.ts';
import { inputSchemaOf } from '#mcp/engine/input_schema.ts';
import { shorten } from '#mcp/engine/shorten.ts';
import { tools } from '#mcp/tools.ts';
import { schema } from '#schema/index.ts';
import { DEFAULT_LIMITS } from '#schema/limits.ts';
import { measure } from '#schema/measure.ts';
import { selectsSecrets } from '#schema/secret_fields.ts';
import { packagePath } from '#src/platform/package_root.ts';

const compiled = tools.map((row) => compileTool(row, schema));

const operationOf = ({ document }: { document: (typeof compiled)[number]['document'] }) => {
  const operation = getOperationAST(document);
  if (!operation) throw new Error('There is no operation');
  return operation;
};

it.each(compiled.map((one) => [one.name, one] as const))(
  '%s is an operation that anybody may send to /graphql, within its limits, and selects no credential',
  (_name, tool) => {
    const errors = validate(schema, tool.document).map(({ message }) => message);
    expect(errors.filter((message) => !/^Fragment ".*" is never used/.test(message))).toEqual([]);
    const operation = operationOf(tool);
    const { cost, depth, aliases, spreads } = measure(operation, tool.document, schema, { first: 20 });
    for (const [name, used] of Object.entries({ cost, depth, aliases, spreads })) {
      expect(used, name).toBeLessThanOrEqual(Reflect.get(DEFAULT_LIMITS, name));
    }
    expect(selectsSecrets(tool.document, operation)).toBe(false);
  },
);

it.each(compiled.map((one) => [one.name, one] as const))(
  '%s says what it does and what its arguments are',
  (_, tool) => {
    expect(tool.name).toMatch(/^[a-z_]{3,60}$/);
    expect(tool.title).toMatch(/^[A-Z]/);
    expect(tool.description).toMatch(/^[A-Z].*\.$/);
    for (const [name, { description }] of Object.entries(tool.inputSchema.properties)) {
      expect(description, name).toMatch(/^[A-Z`].*\.$/);
    }
    expect(() =>
      addFormats.default(new Ajv({ strict: true, allowUnionTypes: true })).compile(tool.inputSchema),
    ).not.toThrow();
  },
);

it('has each tool once, and a tool for each operation of mcp/', () => {
  const inFiles = globSync('mcp/*.graphql', { cwd: packagePath('.') }).flatMap((file) =>
    [...readFileSync(packagePath(file), 'utf8').matchAll(/^(?:query|mutation) (\w+)/gm)].map(([, name]) => name),
  );
  const inTable = compiled.map((tool) => operationOf(tool).name?.value);
  expect(inTable.length).toBeGreaterThan(30);
  expect([...inTable].sort()).toEqual([...inFiles].sort());
});

it('derives arguments from variables: types, enums, defaults, what is required, and what fills them', () => {
  const document = parse(`
    query Wanted($project: ProjectRef!, $state: IssueStateFilter! = OPENED, $iids: [Int!], $on: IssueReference!) {
      project(ref: $project) {
        issues(filter: { state: $state, iids: $iids }) { totalCount }
      }
    }`);
  const { on: reference, ...properties } = inputSchemaOf(document, operationOf({ document }), schema, {
    iids: 'Which ones.',
  }).properties;
  expect(properties).toEqual({
    project: { type: ['string', 'integer'], description: expect.stringMatching(/project/i) },
    state: {
      type: 'string',
      enum: ['ALL', 'CLOSED', 'OPENED'],
      default: 'OPENED',
      description: expect.stringMatching(/state/),
    },
    iids: { type: 'array', items: { type: 'integer' }, description: 'Which ones.' },
  });
  expect(reference).toMatchObject({ type: 'object', additionalProperties: false, required: ['iid', 'project'] });
  expect(inputSchemaOf(document, operationOf({ document }), schema).required).toEqual(['project', 'on']);
});

it('knows which descriptions are of no argument', () => {
  const [row] = tools;
  if (!row) throw new Error('There are no tools');
  expect(() => compileTool({ ...row, arguments: { colour: 'Any colour.' } }, schema)).toThrow('no variable $colour');
});

it('offers no argument that JSON cannot hold', () => {
  const commit = compiled.find(({ name }) => name === 'commit_files');
  if (!commit) throw new Error('There is no such tool');
  const { items } = commit.inputSchema.properties.actions as { items: { properties: object; required: string[] } };
  expect(Object.keys(items.properties)).toEqual(expect.arrayContaining(['action', 'content', 'filePath']));
  expect(Object.keys(items.properties)).not.toContain('contentFile');
  expect(items.required).toEqual(['action', 'filePath']);
  const document = parse('query Odd($file: Upload) { viewer { name } }');
  expect(() => inputSchemaOf(document, operationOf({ document }), schema)).toThrow('no JSON for Upload');
});

it('keeps what is short, and shortens the longest texts before lists', () => {
  const short = { nodes: [{ text: 'a' }, null, 3] };
  expect(shorten(short, 100)).toEqual({ value: short, isCut: false });
  const log = `begin ${'x'.repeat(5000)} 🙂 ${'y'.repeat(5000)} end`;
  const { value, isCut } = shorten({ log, name: 'unit' }, 4000);
  const cut = (value as { log: string }).log;
  expect([isCut, (value as { name: string }).name]).toEqual([true, 'unit']);
  expect(cut).toMatch(/^begin x+\n\[… \d+ characters left out …\]\ny+ end$/);
  const [, left] = /(\d+) characters/.exec(cut) ?? [];
  expect(cut.length - `\n[… ${left} characters left out …]\n`.length + Number(left)).toBe(log.length);
  const list = Array.from({ length: 1000 }, (_, at) => ({ at, text: 'z'.repeat(400) }));
  const few = shorten({ list }, 20_000).value as { list: unknown[] };
  expect(JSON.stringify(few).length).toBeLessThanOrEqual(20_000);
  expect(few.list.length).toBeGreaterThan(10);
  expect(few.list[0]).toEqual(list[0]);
});
