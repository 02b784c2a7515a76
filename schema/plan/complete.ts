import {
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { promiseOf } from '#schema/plan/promise.ts';
import type { Path, Run } from '#schema/plan/run.ts';

/** Converts what a resolver returned into its value in the response. Throws errors that are not located yet. */
export type Complete = (value: unknown, run: Run, path: Path) => unknown;

/** What completers need from their plan. */
export interface Completing {
  /** The field of the values, as `Type.field`, for messages. */
  field: string;
  /** Returns a function that builds the selected fields of an object of that type. */
  object(type: GraphQLObjectType): (source: unknown, run: Run, path: Path) => unknown;
  /** Records an error where null is allowed in place of the value, otherwise throws it. */
  failed(error: unknown, run: Run, path: Path, type: GraphQLOutputType): null;
  /** The type of an object of an interface or union, as the schema resolves it. */
  typeOf(value: unknown, run: Run, path: Path, type: GraphQLOutputType): GraphQLObjectType | Promise<GraphQLObjectType>;
}

/** Types whose values are returned unchanged if they are of this JavaScript type. */
export const PLAIN: Readonly<Record<string, string>> = { String: 'string', Boolean: 'boolean' };

/** The JavaScript type of values that are returned unchanged; undefined for all other types. */
function plainOf(type: GraphQLOutputType): string | undefined {
  const nullable = getNullableType(type);
  return isLeafType(nullable) ? PLAIN[nullable.name] : undefined;
}

/** The completer of values of a type (GraphQL specification, CompleteValue). */
export function completerOf(type: GraphQLOutputType, of: Completing): Complete {
  const nullable = nullableCompleter(getNullableType(type), of);
  if (!isNonNullType(type)) {
    return (value, run, path) => {
      if (value == null) return null;
      if (value instanceof Error) throw value;
      return nullable(value, run, path);
    };
  }
  const missing = `Cannot return null for non-nullable field ${of.field}.`;
  return (value, run, path) => {
    if (value == null) throw new Error(missing);
    if (value instanceof Error) throw value;
    return nullable(value, run, path);
  };
}

function nullableCompleter(type: GraphQLOutputType, of: Completing): Complete {
  if (isListType(type)) return listCompleter(type.ofType, of);
  if (isLeafType(type)) {
    const plain = plainOf(type);
    return (value) => {
      if (typeof value === plain) return value;
      const coerced = type.coerceOutputValue(value);
      if (coerced == null) throw new Error(`Expected \`${type.name}\` to return a value, but it returned ${coerced}.`);
      return coerced;
    };
  }
  if (isObjectType(type)) {
    const compose = of.object(type);
    return (value, run, path) => compose(value, run, path);
  }
  if (!isAbstractType(type)) throw new Error(`No values are of the type ${String(type)}`);
  return (value, run, path) => {
    const found = of.typeOf(value, run, path, type);
    if (found instanceof Promise) return found.then((known) => of.object(known)(value, run, path));
    return of.object(found)(value, run, path);
  };
}

function listCompleter(itemType: GraphQLOutputType, of: Completing): Complete {
  const complete = completerOf(itemType, of);
  const plain = plainOf(itemType);
  const completeItem: Complete = (entry, run, path) => {
    try {
      const pending = promiseOf(entry);
      const item = pending ? pending.then((settled) => complete(settled, run, path)) : complete(entry, run, path);
      return item instanceof Promise ? item.catch((error) => of.failed(error, run, path, itemType)) : item;
    } catch (error) {
      return of.failed(error, run, path, itemType);
    }
  };
  return (value, run, path) => {
    if (typeof value !== 'object' || value === null || !(Symbol.iterator in value)) {
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${of.field}".`);
    }
    const entries: readonly unknown[] = Array.isArray(value) ? value : [...(value as Iterable<unknown>)];
    if (plain !== undefined && entries.every((entry) => typeof entry === plain)) return entries;
    const items: unknown[] = [];
    let waiting = false;
    try {
      // By index, as in plan.ts.
      for (let index = 0; index < entries.length; index++) {
        const item = completeItem(entries[index], run, { prev: path, key: index, typename: undefined });
        waiting ||= item instanceof Promise;
        items.push(item);
      }
    } catch (error) {
      forget(items);
      throw error;
    }
    return waiting ? Promise.all(items) : items;
  };
}

/** The results of these are no longer needed, whether they fail or not. */
export function forget(work: readonly unknown[] = []): void {
  for (const one of work) if (one instanceof Promise) one.catch(() => undefined);
}
