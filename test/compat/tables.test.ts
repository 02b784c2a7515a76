import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getArgumentValues,
  getNamedType,
  getVariableValues,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  type OperationDefinitionNode,
  parse,
  print,
  printSchema,
  validate,
  validateSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { compatSchema } from '#compat/engine/schema.ts';
import { allViews, type Site, type Table } from '#compat/engine/table.ts';
import { Translating } from '#compat/engine/translate.ts';
import { roots } from '#compat/tables/index.ts';
import { NEVER } from '#compat/tables/never.ts';
import { schema as core } from '#schema/index.ts';
import { packagePath } from '#src/platform/package_root.ts';

const compat = await compatSchema();
const tables = [...allViews()].flatMap(([name, view]): [string, Table][] =>
  'fields' in view && !(name in NEVER) ? [[name, view]] : [],
);
const fields = tables.flatMap(([name, table]) =>
  Object.values((compat.getType(table.type) as GraphQLObjectType).getFields()).map(
    (field) => [`${name}.${field.name}`, table, field] as const,
  ),
);

/** Types that no table is for, as an engine makes their objects: of lists and of payloads. */
const MADE = /(Connection|Edge|Payload)$|^PageInfo$|^__/;

it('The schema describes each type, field, argument and value, in sentences of its own', () => {
  const undescribed = Object.values(compat.getTypeMap()).flatMap((type): string[] => {
    if (type.name.startsWith('__') || isSpecifiedScalarType(type)) return [];
    const inner: { name: string; description?: string | null; args?: readonly GraphQLArgument[] }[] = isEnumType(type)
      ? [...type.getValues()]
      : isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
        ? Object.values(type.getFields())
        : [];
    const all = inner.flatMap((one) => [
      one,
      ...(one.args ?? []).map((arg) => ({ ...arg, name: `${one.name}.${arg.name}` })),
    ]);
    const missing = all
      .filter(({ description }) => !/^\S.*[.]$/s.test(description ?? ''))
      .map(({ name }) => `${type.name}.${name}`);
    return type.description ? missing : [type.name, ...missing];
  });
  expect(undescribed).toEqual([]);
});

it('The schema is valid, and as its file says', () => {
  const text = readFileSync(packagePath('compat/schema.graphql'), 'utf8');
  const whole = buildSchema(text);
  expect(validateSchema(whole)).toEqual([]);
  expect(printSchema(compat)).toBe(printSchema(whole));
});

describe('The tables', () => {
  it('are for each type, or it is said why there is never an object of it', () => {
    const shown = new Set(tables.map(([, { type }]) => type));
    const types = Object.values(compat.getTypeMap()).filter((type) => isObjectType(type) && !MADE.test(type.name));
    const without = types.filter(({ name }) => !shown.has(name) && !(name in NEVER)).map(({ name }) => name);
    // The types of trees are put together for the folder that is asked for.
    expect(without).toEqual(['Tree']);
    expect(Object.keys(NEVER).filter((name) => !isObjectType(compat.getType(name)) || shown.has(name))).toEqual([]);
  });

  it('have an entry for each field, and none for another', () => {
    const wrong = tables.flatMap(([name, table]) => {
      const declared = Object.keys((compat.getType(table.type) as GraphQLObjectType).getFields());
      const missing = declared
        .filter((field) => !(field in table.fields))
        .map((field) => `${name}.${field} is missing`);
      const extra = Object.keys(table.fields).filter((field) => !declared.includes(field));
      return [...missing, ...extra.map((field) => `${name}.${field} is not in the schema`)];
    });
    expect(wrong).toEqual([]);
  });

  it.each(fields)('read of the core graph what there is: %s', (_name, table, { name, type, args }) => {
    const needed = args.filter((arg) => isNonNullType(arg.type));
    const given = needed.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
    const declared = needed.map((arg) => `$${arg.name}: ${arg.type}`).join(', ');
    const isMutation = table.type === 'Mutation';
    const text = `${isMutation ? 'mutation' : 'query'} ${declared && `(${declared})`} { ${name}${given && `(${given})`}${inside(type, 2)} }`;
    const document = parse(text);
    const translating = new Translating({ compat, core, roots }, document);
    const [{ selectionSet }] = document.definitions as [OperationDefinitionNode];
    const selections = translating.inside(table, [selectionSet]);
    expect(translating.object(table, [selectionSet])).toBeInstanceOf(Function);
    const variables = translating.definitions().map(print).join(', ');
    const body = selections.map(print).join('\n');
    const isRoot = table === roots.query || table === roots.mutation;
    const operation = isRoot
      ? `${isMutation ? 'mutation' : 'query'} O${variables && `(${variables})`} { ${body} }`
      : `query O${variables && `(${variables})`} { __typename ...F } fragment F on ${table.core} { ${body} }`;
    const errors = validate(core, parse(operation)).map(({ message }) => message);
    expect(
      errors.filter(
        (message) => !/can never be of type|is never used|of type "\w+Input" used in position/.test(message),
      ),
    ).toEqual([]);
  });

  it('show values unchanged where the types of both graphs fit', () => {
    const wrong = fields.flatMap(([name, table, field]) => {
      const { same } = table.fields[field.name] ?? {};
      const read = same === undefined ? undefined : core.getField(core.getType(table.core) as GraphQLObjectType, same);
      if (same === undefined || (read && fits(field.type, read.type))) return [];
      return [`${name}: ${field.type} is made of ${table.core}.${same}: ${read?.type}`];
    });
    expect(wrong).toEqual([]);
  });

  const chosen = fields.flatMap(([name, table, field]) =>
    table === roots.mutation
      ? []
      : field.args.flatMap((arg) => valuesOf(arg).map((text) => [name, table, field, arg, text] as const)),
  );

  it('hand on what the core graph takes for each value of an enum that clients may send', () => {
    expect(chosen.length).toBeGreaterThan(200);
    const wrong = chosen.flatMap(([name, table, field, arg, text]) => {
      const needed = field.args.filter((one) => isNonNullType(one.type) && one !== arg);
      const given = [...needed.map((one) => `${one.name}: "1"`), `${arg.name}: ${text}`].join(', ');
      const document = parse(`{ ${field.name}(${given})${inside(field.type, 1)} }`);
      const [operation] = document.definitions as [OperationDefinitionNode];
      const made = new Translating({ compat, core, roots: { ...roots, query: table } }, document).operation(operation);
      const run = { given: (site: Site) => getArgumentValues(site.field, site.nodes[0]), variables: { coerced: {} } };
      const { variableDefinitions = [] } = made.document.definitions[0] as OperationDefinitionNode;
      const { errors = [] } = getVariableValues(core, variableDefinitions, made.variables(run as never));
      return errors.map(({ message }) => `${name} ${arg.name}: ${text}: ${message}`);
    });
    expect(wrong).toEqual([]);
  });

  it('have the fields of interfaces in all types of them', () => {
    const interfaces = Object.values(compat.getTypeMap()).filter(isInterfaceType);
    expect(interfaces.map(({ name }) => name)).toContain('User');
    for (const one of interfaces) {
      expect(
        compat.getPossibleTypes(one).every(({ name }) => name in NEVER || tables.some(([, { type }]) => type === name)),
      ).toBe(true);
    }
  });
});

/** What a client may write for an argument that is an enum, or a list of one. */
function valuesOf({ type }: GraphQLArgument): string[] {
  const named = getNamedType(type);
  if (!isEnumType(named)) return [];
  const isList = isListType(isNonNullType(type) ? type.ofType : type);
  return named.getValues().map(({ name }) => (isList ? `[${name}]` : name));
}

/** A selection of all that lies some levels below a field, as far as it needs no arguments. */
function inside(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (depth === 0) return ' { __typename }';
  if (isAbstractType(named)) {
    const each = compat.getPossibleTypes(named).map((one) => `... on ${one.name} { __typename }`);
    return ` { __typename ${each.join(' ')} }`;
  }
  const inner = Object.values((named as GraphQLObjectType).getFields()).filter(
    ({ args }) => !args.some((arg) => isNonNullType(arg.type)),
  );
  return ` { ${inner.map((field) => field.name + inside(field.type, depth - 1)).join(' ')} }`;
}

/** Scalars that are written alike in both graphs. */
const ALIKE: Readonly<Record<string, readonly string[]>> = {
  String: ['String', 'Date', 'ID'],
  ID: ['ID', 'String'],
  Time: ['Date'],
  Date: ['Date'],
  Float: ['Float', 'Int'],
};

function fits(shown: GraphQLOutputType, read: GraphQLOutputType): boolean {
  if (isNonNullType(shown)) return isNonNullType(read) && fits(shown.ofType, read.ofType);
  const value = isNonNullType(read) ? read.ofType : read;
  if (isListType(shown)) return isListType(value) && fits(shown.ofType, value.ofType);
  const [one, other] = [shown, value] as const;
  if (isEnumType(one) && isEnumType(other)) {
    return other.getValues().every(({ name }) => one.getValue(name) !== undefined);
  }
  if (isEnumType(other)) return false;
  return (ALIKE[String(one)] ?? [String(one)]).includes(String(other));
}
