import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import { type Differences, type Manner, type Taken, takenBy } from '#schema/input_fields.ts';
import { fromGlobalId } from '#schema/node/global_id.ts';
import { isDay } from '#src/base/day.ts';
import { SpooledFile } from '#src/platform/limits/spooled_file.ts';

/** What the operation of a row takes from a request: a variable, or a field of `$input`. */
export interface Variable extends Pick<Taken, 'keys' | 'fills' | 'type' | 'required'> {
  /** The name of the parameter or of the field of the form. */
  readonly name: string;
}

/** Forms name what they have as the schema does, and hold no records. */
const MANNER: Manner = { word: (field) => field, opens: () => null, nests: false };

/** The variables that an operation declares, with the fields of `$input` in its place. */
export function variablesOf(document: DocumentNode, schema: GraphQLSchema, differences: Differences = {}): Variable[] {
  const operation = getOperationAST(document);
  if (!operation) return [];
  const { preset = {} } = differences;
  const hidden = [...(differences.hidden ?? []), ...Object.keys(preset)];
  const taken = takenBy(operation, schema, { ...differences, hidden }, MANNER);
  return taken.filter(({ keys }) => keys.length === 1).map((one) => ({ name: one.keys[0], ...one }));
}

/** A value that does not fit its variable. */
export class InvalidVariable extends Error {
  /** The name of the variable. */
  readonly variable: string;

  constructor(variable: string) {
    super(`${variable} is invalid`);
    this.variable = variable;
  }
}

/** Whether the value of a variable that names a record can be the ID of none. */
export function isNoId({ name, type }: Variable, values: Readonly<Record<string, unknown>>): boolean {
  const inner = getNullableType(type);
  if (!isScalarType(inner) || inner.name !== 'ID') return false;
  const value = String(values[name] ?? '');
  return !/^\d{1,9}$/.test(value) && fromGlobalId(value) === null;
}

/**
 * The values of variables from the texts of a request.
 *
 * @param isForm whether they are fields of a form, where an empty one clears what is there; elsewhere it has no value
 * @param lists variables of which one text holds several values, separated by commas or lines
 * @throws InvalidVariable
 */
export function valuesFor(
  variables: readonly Variable[],
  given: Readonly<Record<string, unknown>>,
  { isForm, lists = [] }: { isForm: boolean; lists?: readonly string[] },
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const variable of variables) {
    const { name, type } = variable;
    const inner = getNullableType(type);
    if (isMade(type)) {
      // Only what the row makes of the fields: forms hold texts alone.
      if (isObjects(given[name])) values[name] = given[name];
      continue;
    }
    if (isListType(inner)) {
      const list = textsOf(given[name], lists.includes(name));
      if (list) values[name] = list.map((text) => readValue(text, inner.ofType, name));
      continue;
    }
    const text: unknown = [given[name]].flat().at(-1);
    if (isScalarType(inner) && inner.name === 'Upload') {
      // A field without a file is sent as one without a name.
      if (text instanceof File && text.name !== '') values[name] = incoming(text);
      if (text instanceof SpooledFile) values[name] = text;
      continue;
    }
    if (typeof text !== 'string') continue;
    const isText = isScalarType(inner) && inner.name === 'String';
    if (text === '' && !(isForm && isText)) {
      if (isForm && !isNonNullType(type)) values[name] = null;
      continue;
    }
    values[name] = readValue(text, type, name);
  }
  return values;
}

/** Whether its values are no texts: objects, and lists of them, which the row makes of fields. */
function isMade(type: GraphQLInputType): boolean {
  const inner = getNullableType(type);
  const item = isListType(inner) ? getNullableType(inner.ofType) : inner;
  return isInputObjectType(item) || (isScalarType(item) && item.name === 'JSON');
}

function isObjects(value: unknown): boolean {
  return [value].flat().every((one) => typeof one === 'object' && one !== null);
}

/** The values of a list: those that are repeated, or the lines of one text. Undefined where nothing was sent. */
function textsOf(given: unknown, isLines: boolean): string[] | undefined {
  if (given === undefined) return undefined;
  const texts = [given].flat().filter((text) => typeof text === 'string');
  const all = isLines ? texts.flatMap((text) => text.split(/[\n,]/)) : texts;
  return all.map((text) => text.trim()).filter((text) => text !== '');
}

/** A value of the scalar `Upload`. */
function incoming(file: File) {
  return {
    name: file.name,
    size: file.size,
    stream: () => file.stream(),
  };
}

function readValue(text: string, type: GraphQLInputType, name: string): unknown {
  const inner = getNullableType(type);
  if (isEnumType(inner)) {
    const word = text.toUpperCase().replaceAll('-', '_');
    if (!inner.getValue(word)) throw new InvalidVariable(name);
    return word;
  }
  if (!isScalarType(inner)) throw new InvalidVariable(name);
  if (inner.name === 'Date' && !isDay(text)) throw new InvalidVariable(name);
  if (inner.name === 'DateTime' && !isMoment(text)) throw new InvalidVariable(name);
  if (inner.name === 'Boolean') {
    if (!['true', 'false', 'on', '1', '0'].includes(text)) throw new InvalidVariable(name);
    return ['true', 'on', '1'].includes(text);
  }
  if (inner.name === 'Int') {
    if (!/^-?\d{1,10}$/.test(text) || Math.abs(Number(text)) > 2 ** 31 - 1) throw new InvalidVariable(name);
    return Number(text);
  }
  return text;
}

/** Whether a text is a time of a day that there is, with its offset: `2026-11-30T18:00:00Z`. */
function isMoment(text: string): boolean {
  const [, day = ''] = /^([^T]+)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  return isDay(day) && !Number.isNaN(Date.parse(text));
}
