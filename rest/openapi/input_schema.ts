import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { type Parameter, recordFields, recordKey } from '#rest/engine/coerce.ts';
import type { Route } from '#rest/engine/route.ts';
import type { Components, Json } from '#rest/openapi/components.ts';
import { defaultOf, type Filled } from '#rest/openapi/described.ts';
import { orNull } from '#rest/openapi/output_schema.ts';
import { scalarSchema } from '#rest/openapi/scalars.ts';
import { inRestWords } from '#rest/openapi/words.ts';

/** What documents a parameter. */
interface Input {
  route: Route;
  filled: Filled | undefined;
  components: Components;
}

/** The schema of a parameter's value, with its default, and null where JSON may have no value. */
export function inputSchema(parameter: Parameter, input: Input): Json {
  const schema = parameter.threadKey ? { type: 'string' } : bareSchema(parameter, input);
  const fallback = inWords(parameter.default ?? input.filled?.default ?? undefined, parameter);
  const whole = fallback === undefined ? schema : { ...schema, default: fallback };
  return isNonNullType(parameter.type) || parameter.in === 'path' ? whole : orNull(whole);
}

/** A default in the words of a parameter, if it has one for it. */
function inWords(value: unknown, { words, type }: Parameter): unknown {
  if (!words || isEnumType(getNamedType(type))) return value;
  return Object.keys(words).find((word) => words[word] === value);
}

/** What the schema says of a field that is left out, which parts of a path never are. */
const LEFT_OUT = /; [^.;]* when left out(?=\.)|(?<=\.) [^.;]* when left out\./g;

/** The description of a parameter by the schema, with this API's additions. Throws if there is none. */
export function inputDescription(parameter: Parameter, filled: Filled | undefined): string {
  const { commaSeparated, nullWord, in: place, type, name } = parameter;
  const words = inRestWords(filled?.description ?? CHOICES[name] ?? '', type);
  const said = place === 'path' ? words.replace(LEFT_OUT, '') : words;
  if (said === '') throw new Error(`Nothing describes the parameter ${name}`);
  const isPath = place === 'path' && /^(?:Project|Group|Namespace)Ref/.test(String(type));
  return [
    said,
    ...(commaSeparated ? ['Several are separated by commas.'] : []),
    ...(nullWord === undefined ? [] : [`\`${nullWord}\` stands for no value.`]),
    ...(isPath ? ['A path is URL-encoded.'] : []),
  ].join(' ');
}

/** Parameters that choose the keys of records: directives of operations use them, which the schema does not describe. */
const CHOICES: Record<string, string> = {
  simple: 'Whether records have only their ID, URLs, name and path.',
  view: '`simple` leaves the records only their IDs, title, description, state, times and URL.',
  show_seat_info: 'Whether the records have `is_using_seat`.',
  with_projects: 'Whether the record has `projects` and `shared_projects`.',
  with_labels_details: 'Whether `labels` of the records are labels rather than their names.',
  include_merged_yaml: 'Whether the record has `merged_yaml`: the content with all that it includes.',
  include_jobs: 'Whether the record has `jobs`: those that the content defines.',
  with_custom_attributes: 'Whether records have `custom_attributes`; ignored unless the caller is an administrator.',
  license: 'Whether the record has `license` and `license_url`.',
  statistics: 'Whether records have `statistics`.',
  stats: 'Whether the record has `stats`, the numbers of lines that changed.',
  with_content: 'Whether the records have `content`, the texts of the pages.',
  lfs: 'Whether the content of a file that is kept with Git LFS is sent, rather than what points to it.',
  with_stats: 'Whether the records have `stats`, the numbers of lines that changed.',
  include_diverged_commits_count: 'Whether the record has `diverged_commits_count`.',
  include_rebase_in_progress: 'Whether the record has `rebase_in_progress`.',
  async: 'Whether the response has no body, and status 202.',
  include_html_description: 'Whether the record has `description_html`.',
  tags: 'Whether the records have `tags`: the first 100 by their names.',
  tags_count: 'Whether the records have `tags_count`: how many tags there are.',
  size: 'Whether the record has `size`: that of all images, in bytes.',
  select: 'What the response has: a message when absent.',
  render_html: 'Whether the record has `title_html` and `description_html`.',
};

function bareSchema(parameter: Parameter, { route, components }: Input): Json {
  const { type, commaSeparated, minimum, allowed, among, nullWord, numericId, name, words } = parameter;
  const bare = isNonNullType(type) ? type.ofType : type;
  if (words && !isEnumType(bare)) return { type: 'string', enum: Object.keys(words) };
  if (commaSeparated) return { type: 'string' };
  if (numericId) return { type: 'integer' };
  if (allowed) return { type: 'integer', enum: allowed };
  if (among) return { type: 'array', items: { type: 'string', enum: among } };
  // Values returned as decimal texts are also accepted as such.
  if (route.decimals?.[name] !== undefined) return { type: ['number', 'string'] };
  const schema = valueSchema(bare, components);
  if (nullWord !== undefined) return { anyOf: [schema, { type: 'string', const: nullWord }] };
  return minimum === undefined ? schema : { ...schema, minimum };
}

function valueSchema(type: GraphQLInputType, components: Components): Json {
  if (isNonNullType(type)) return valueSchema(type.ofType, components);
  if (isListType(type)) return { type: 'array', items: valueSchema(type.ofType, components) };
  if (isEnumType(type)) return components.enum(type);
  if (isInputObjectType(type)) return components.refer(type.name, recordSchema(type, components));
  // The only accepted values without a fixed structure are maps.
  return type.name === 'JSON' ? { type: 'object', additionalProperties: true } : scalarSchema(type);
}

function recordSchema(type: GraphQLInputObjectType, components: Components): Json {
  const fields = recordFields(type);
  const required = fields.filter(isRequiredInputField).map(({ name }) => recordKey(name));
  return {
    type: 'object',
    description: inRestWords(type.description ?? ''),
    properties: Object.fromEntries(fields.map((field) => [recordKey(field.name), fieldSchema(field, components)])),
    ...(required.length > 0 ? { required } : {}),
  };
}

function fieldSchema(field: GraphQLInputField, components: Components): Json {
  const { type, description } = field;
  const value = defaultOf(field);
  const schema = {
    ...valueSchema(type, components),
    description: inRestWords(description ?? '', type),
    ...(value === undefined ? {} : { default: value }),
  };
  return isNonNullType(type) ? schema : orNull(schema);
}
