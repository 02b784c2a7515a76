import {
  buildSchema,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import { deprecations } from './deprecations.ts';

/** Ends the generated part of a document. */
export const END = '<!-- End of the generated part. -->';

/** What comes with a field: lists, inputs and payloads are named after it. */
const COMPANION = /(?:Connection|Edge|Payload|Input|Filter|Order)$/;

/** What a schema has: the members of each type (fields and values), and the arguments of each field, by coordinates. */
interface Members {
  types: Map<string, GraphQLNamedType>;
  /** `Type.member`, and the type that it is of. */
  members: Map<string, string>;
  /** `Type.field(argument:)`, and the field that it is of. */
  args: Map<string, string>;
}

/**
 * The changes of the graph between a release and a later schema, in Markdown, for people whose programs use it: what was added, what was
 * deprecated, and what is no longer there.
 *
 * @param released the SDL of the release
 * @param current the SDL with descriptions
 */
export function graphqlChanges(released: string, current: string): string {
  const [before, now] = [membersOf(buildSchema(released)), membersOf(buildSchema(current))];
  const parts = [
    section('Added: queries, mutations and subscriptions', rootFields(before, now)),
    section('Added: types', newTypes(before, now)),
    section('Added: fields and values of types that were there', newMembers(before, now)),
    section('Added: arguments', newArguments(before, now)),
    section('Deprecated', newDeprecations(released, current)),
    section('Gone or changed', gone(before, now)),
  ];
  return parts.filter((part) => part !== '').join('\n\n') || 'Nothing has changed.';
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `### ${title}\n\n${lines.join('\n')}`;
}

const ROOTS = ['Query', 'Mutation', 'Subscription'];
const listed = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

function rootFields(before: Members, now: Members): string[] {
  return ROOTS.flatMap((root) => {
    const added = [...now.members].filter(([name, type]) => type === root && !before.members.has(name));
    return added.length === 0 ? [] : `- \`${root}\`: ${listed(added.map(([name]) => name.slice(root.length + 1)))}`;
  });
}

function newTypes(before: Members, now: Members): string[] {
  const added = [...now.types.values()].filter(
    ({ name }) => !before.types.has(name) && !ROOTS.includes(name) && !COMPANION.test(name),
  );
  return added.map(({ name, description }) => `- \`${name}\`: ${firstSentence(description)}`);
}

/** Enough to know whether to read on in the reference. */
function firstSentence(description: string | null | undefined): string {
  const text = (description ?? '').replaceAll(/\s+/g, ' ');
  return /^.+?[.!?](?= [A-Z`]|$)/.exec(text)?.[0] ?? text;
}

function newMembers(before: Members, now: Members): string[] {
  return grouped(
    [...now.members].filter(
      ([name, type]) => before.types.has(type) && !ROOTS.includes(type) && !before.members.has(name),
    ),
    (name, type) => name.slice(type.length + 1),
  );
}

function newArguments(before: Members, now: Members): string[] {
  return grouped(
    [...now.args].filter(([name, field]) => before.members.has(field) && !before.args.has(name)),
    (name, field) => name.slice(field.length + 1, -2),
  );
}

/** One line for each owner: what is new of it. */
function grouped(pairs: readonly (readonly [string, string])[], short: (name: string, owner: string) => string) {
  const byOwner = Map.groupBy(pairs, ([, owner]) => owner);
  return [...byOwner].map(([owner, added]) => `- \`${owner}\`: ${listed(added.map(([name]) => short(name, owner)))}`);
}

const HEAD = ['| | Instead | Since | Goes in, at the earliest |', '| --- | --- | --- | --- |'];

function newDeprecations(released: string, current: string): string[] {
  const known = deprecations(released);
  const rows = [...deprecations(current)].flatMap(([coordinate, { reason, since, removal }]) => {
    if (known.has(coordinate)) return [];
    const instead = reason.replace(/ Since \S+; removed in \S+ at the earliest\.$/, '').replaceAll('|', '\\|');
    return `| \`${coordinate}\` | ${instead} | ${since ?? ''} | ${removal ?? ''} |`;
  });
  return rows.length === 0 ? [] : [...HEAD, ...rows.sort()];
}

function gone(before: Members, now: Members): string[] {
  const types = [...before.types.keys()].filter((name) => !now.types.has(name));
  const members = [...before.members].filter(([name, type]) => now.types.has(type) && !now.members.has(name));
  const args = [...before.args].filter(([name, field]) => now.members.has(field) && !now.args.has(name));
  return [...types, ...[...members, ...args].map(([name]) => name)].map((name) => `- \`${name}\``);
}

function membersOf(schema: GraphQLSchema): Members {
  const found: Members = { types: new Map(), members: new Map(), args: new Map() };
  const names = Object.keys(schema.getTypeMap()).sort();
  for (const name of names) {
    const type = schema.getType(name);
    if (!type || isIntrospectionType(type) || isSpecifiedScalarType(type)) continue;
    found.types.set(name, type);
    for (const member of memberNames(schema, type)) found.members.set(`${name}.${member}`, name);
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      for (const arg of field.args) found.args.set(`${name}.${field.name}(${arg.name}:)`, `${name}.${field.name}`);
    }
  }
  return found;
}

function memberNames(schema: GraphQLSchema, type: GraphQLNamedType): string[] {
  if (isEnumType(type)) return type.getValues().map(({ name }) => name);
  if (isUnionType(type)) return schema.getPossibleTypes(type).map(({ name }) => name);
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? Object.keys(type.getFields()) : [];
}

/** The changelog with the changes of a release under its version, behind the generated part, where they stay. */
export function withReleased(text: string, version: string, changes: string): string {
  const at = text.indexOf(END) + END.length;
  if (at < END.length) throw new Error('the marker of the generated part is missing');
  return `${text.slice(0, at)}\n\n## ${version}\n\n${changes}${text.slice(at)}`;
}
