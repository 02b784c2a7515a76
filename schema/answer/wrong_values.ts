import {
  type ASTNode,
  BREAK,
  type DocumentNode,
  type FieldNode,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  validateInputLiteral,
  validateInputValue,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { FieldErrors } from '#src/platform/errors.ts';

type Keys = readonly (string | number)[];

/** Invalid values in a document, below one of its fields. */
export interface WrongLiterals {
  node: FieldNode | null;
  fields: FieldErrors;
  /** The messages of validation for them, which identify its errors. */
  told: string[];
}

/** Maximum number of reported places, as a list may have thousands of invalid values. */
const MAX_REPORTED_PLACES = 50;

/** The errors of variable values, by the input that uses each variable first. */
export function wrongVariables(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): FieldErrors {
  const fields: FieldErrors = {};
  const tell = upTo(MAX_REPORTED_PLACES);
  for (const { variable, type: node, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const type = typeFromAST(schema, node);
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (!isInputType(type) || (value === undefined && defaultValue)) continue;
    const place = placeOf(document, name);
    if (value === undefined) {
      if (node.kind === Kind.NON_NULL_TYPE) add(fields, place, ['is required']);
      continue;
    }
    tell((count) =>
      validateInputValue(value, type, ({ message }, keys) => {
        const { at, problem } = plainly(message, keys, type);
        add(fields, [...place, ...at], [problem]);
        count();
      }),
    );
  }
  return fields;
}

/** The errors of literal values in a document, per field. */
export function wrongLiterals(schema: GraphQLSchema, document: DocumentNode): WrongLiterals[] {
  const found: WrongLiterals[] = [];
  const around: (FieldNode | null)[] = [];
  const info = new TypeInfo(schema);
  const tell = upTo(MAX_REPORTED_PLACES);
  const visitor = {
    Field: { enter: (node: FieldNode) => void around.push(node), leave: () => void around.pop() },
    Argument: (node: { name: { value: string }; value: Parameters<typeof validateInputLiteral>[0] }) => {
      const type = info.getInputType();
      if (!type) return;
      const field = around.at(-1) ?? null;
      const wrong = ({ message }: GraphQLError, keys: Keys) => {
        const one = found.find((known) => known.node === field) ?? { node: field, fields: {}, told: [] };
        if (!found.includes(one)) found.push(one);
        const { at, problem } = plainly(message, keys, type);
        add(one.fields, [node.name.value, ...at], [problem]);
        one.told.push(message);
      };
      tell((count) =>
        validateInputLiteral(node.value, type, (error, keys) => {
          wrong(error, keys);
          count();
        }),
      );
    },
  };
  visit(document, visitWithTypeInfo(info, visitor));
  return found;
}

/** Runs work that reports what it finds; work after the maximum is skipped. */
function upTo(most: number): (work: (count: () => void) => void) => void {
  let found = 0;
  const enough = new Error('enough');
  return (work) => {
    if (found >= most) return;
    try {
      work(() => {
        found += 1;
        if (found >= most) throw enough;
      });
    } catch (error) {
      if (error !== enough) throw error;
    }
  };
}

/** The input path at which a document first uses a variable; the variable's name if it is unused. */
export function placeOf(document: DocumentNode, variable: string): Keys {
  let place: Keys = [variable];
  visit(document, {
    VariableDefinition: () => false,
    Variable(node, _key, parent, _path, ancestors) {
      if (node.name.value !== variable) return undefined;
      place = keysOf([...ancestors, ...(parent ? [parent] : []), node]);
      return BREAK;
    },
  });
  return place;
}

/** Adds messages to those at a path. */
export function add(fields: FieldErrors, place: Keys, messages: readonly string[]): void {
  const name = place.join('.');
  fields[name] = [...new Set([...(fields[name] ?? []), ...messages])];
}

/** Names of arguments and input fields, and list indexes, along the path to a value. */
function keysOf(way: readonly (ASTNode | readonly ASTNode[])[]): Keys {
  return way.flatMap((node, at): (string | number)[] => {
    if ('kind' in node) return node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD ? [node.name.value] : [];
    const list = way[at - 1];
    const isList = list !== undefined && 'kind' in list && list.kind === Kind.LIST;
    return isList ? [node.indexOf(way[at + 1] as ASTNode)] : [];
  });
}

/** Rewrites a message of graphql-js, which repeats the value and names types, as an error of the input at a path. */
function plainly(message: string, keys: Keys, type: GraphQLInputType): { at: Keys; problem: string } {
  const missing = /^Expected value of type "[^"]*" to include required field "(\w+)"/.exec(message)?.[1];
  if (missing !== undefined) return { at: [...keys, missing], problem: 'is required' };
  const unknown = /^Expected value of type "[^"]*" not to include unknown field "([^"]*)"/.exec(message)?.[1];
  if (unknown !== undefined) return { at: [...keys, unknown], problem: 'is not known here' };
  if (/not to be null\.$/.test(message)) return { at: keys, problem: 'must not be null' };
  if (message.startsWith('Within OneOf')) return { at: keys, problem: 'must have exactly one of its fields' };
  // Messages of this schema's scalars begin like this.
  if (/^(is|must|has|cannot) /.test(message)) return { at: keys, problem: message };
  return { at: keys, problem: `must be ${expected(typeAt(type, keys))}` };
}

function typeAt(type: GraphQLInputType, [key, ...rest]: Keys): GraphQLInputType {
  const nullable = getNullableType(type);
  if (key === undefined) return nullable;
  if (isListType(nullable)) return typeAt(nullable.ofType, typeof key === 'number' ? rest : [key, ...rest]);
  const field = isInputObjectType(nullable) ? nullable.getFields()[key] : undefined;
  return field ? typeAt(field.type, rest) : nullable;
}

const EXPECTED: Readonly<Record<string, string>> = {
  Int: 'an integer of 32 bits',
  Float: 'a number',
  String: 'a string',
  Boolean: 'true or false',
  ID: 'an ID',
};

function expected(type: GraphQLInputType): string {
  const named = getNamedType(type);
  if (isEnumType(named)) {
    const names = named.getValues().map(({ name }) => name);
    return names.length === 1 ? `${names[0]}` : `one of ${names.join(', ')}`;
  }
  if (isInputObjectType(named)) return 'an object';
  return EXPECTED[named.name] ?? `a ${named.name}`;
}
