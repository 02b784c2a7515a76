import { type DocumentNode, GraphQLError, isObjectType, parse } from 'graphql';
import type { Ask, Entries, Entry, Given, Row, Run, Site, Table } from '#compat/engine/table.ts';

/** A mutation of the compatibility schema as one of the core graph. */
export interface Declared {
  /** The mutation of the core graph that does it. */
  readonly core: string;
  /** What is looked up before, such as IDs by names: a query of the core graph. What it does not find is null. */
  readonly lookup?: { readonly query: string; variables(input: Given): Record<string, unknown> };
  /** The core mutation's input. Throws Refused, Missing. */
  input(input: Given, found: Row): Readonly<Record<string, unknown>>;
  /** The fields of the payload, beside `errors` and `clientMutationId`, as views of the core payload. */
  readonly payload: Entries;
}

/** Thrown by an input that makes no sense, for the `errors` of the payload. */
export class Refused extends Error {}

/** Thrown for a record that is not there, or that the caller may not see. */
export class Missing extends Error {}

const NOT_THERE =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action";

/** Codes of what is wrong with values, which payloads tell. */
const OF_VALUES = new Set(['VALIDATION_FAILED', 'CONFLICT', 'BAD_REQUEST', 'CONTENT_TOO_LARGE', 'LIMIT_REACHED']);
/** Codes of records that are not there, or not for the caller. */
const OF_ACCESS = new Set(['NOT_FOUND', 'FORBIDDEN', 'UNAUTHENTICATED']);

/** The input of the core mutation, or why there is none. */
interface Kept {
  readonly input?: Readonly<Record<string, unknown>>;
  readonly failure?: Error;
}

/** A field of Mutation. */
export function mutation(declared: Declared): Entry {
  const keptOf = (site: Site, run: Run) => run.kept.get(nameOf(site)) as Kept | undefined;
  const args = (site: Site) => ({ input: (_given: Given, run: Run) => keptOf(site, run)?.input });
  return {
    select: (site) => {
      const call = site.call(declared.core, args(site), site.inside(payloadOf(declared, site)));
      return [site.when((_given, run) => keptOf(site, run)?.input !== undefined, 'prepared', [call])];
    },
    shape: (site) => {
      const key = site.keyOf(declared.core, args(site));
      const make = site.object(payloadOf(declared, site));
      return (row, run) => {
        const { clientMutationId } = run.given(site).input;
        const failure = keptOf(site, run)?.failure ?? run.take(key);
        const payload = row[key] as Row | null | undefined;
        if (!failure) return payload ? make({ ...payload, clientMutationId, errors: [] }, run) : null;
        const errors = messagesOf(failure);
        if (!errors) return tellAt(site, run, failure);
        return make({ ...payload, clientMutationId, errors, isRefused: payload == null }, run);
      };
    },
    prepare: async (site, run, ask) => {
      const { input } = run.given(site);
      run.kept.set(nameOf(site), await prepared(declared, input, ask).catch((failure: Error) => ({ failure })));
    },
  };
}

async function prepared({ lookup, input }: Declared, given: Given, ask: Ask): Promise<Kept> {
  const found = lookup ? ((await ask(documentOf(lookup.query), lookup.variables(given))).data ?? {}) : {};
  return { input: input(given, found) };
}

const documents = new Map<string, DocumentNode>();

/** The texts are those of the tables, so there are few. */
function documentOf(text: string): DocumentNode {
  const known = documents.get(text) ?? parse(text, { noLocation: true });
  documents.set(text, known);
  return known;
}

/** The table of the payload. Where a mutation was refused there is no record, whatever the fields read of it. */
function payloadOf({ core, payload }: Declared, site: Site): Table {
  const type = isObjectType(site.core) ? site.core.getFields()[core]?.type : undefined;
  const own: Entries = {
    clientMutationId: { select: () => [], shape: () => (row) => row.clientMutationId },
    errors: { select: () => [], shape: () => (row) => row.errors },
  };
  const others = Object.entries(payload).map(([key, entry]): [string, Entry] => [
    key,
    {
      ...entry,
      shape: (inner) => {
        const make = entry.shape(inner);
        const absent = String(inner.field.type) === 'Boolean!' ? false : null;
        return (row, run) => (row.isRefused ? absent : make(row, run));
      },
    },
  ]);
  const name = (text: unknown) => String(text).replaceAll(/[[\]!]/g, '');
  return { type: name(site.field.type), core: name(type), fields: { ...own, ...Object.fromEntries(others) } };
}

/** What the payload says of a failure; null where it is not one of values. */
function messagesOf(failure: Error): string[] | null {
  if (failure instanceof Refused) return [failure.message];
  if (!(failure instanceof GraphQLError)) return null;
  const { code, fields, committed } = failure.extensions;
  if (committed || !OF_VALUES.has(String(code))) return null;
  if (typeof fields !== 'object' || fields === null) return [failure.message];
  return Object.entries(fields as Record<string, string[]>).flatMap(([field, messages]) =>
    messages.map((message) => (/^\p{Lu}/u.test(message) ? message : `${titled(field)} ${message}`)),
  );
}

/** What clients know by another name than the core graph. */
const WORDS: Readonly<Record<string, string>> = {
  addChildIds: 'Child',
  issueIds: 'Linked items',
  links: 'Linked items',
  parentId: 'Parent',
};

/** `source_branch` is read as `Source branch`; which one of a list it is about is not told. */
function titled(path: string): string {
  const field = path.replace(/\.\d.*$/s, '');
  const words = (WORDS[field.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase())] ?? field)
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, one, other) => `${one} ${other.toLowerCase()}`);
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

function tellAt(site: Site, run: Run, failure: Error): null {
  const path = [nameOf(site)];
  const isMissing =
    failure instanceof Missing || (failure instanceof GraphQLError && OF_ACCESS.has(String(failure.extensions.code)));
  if (isMissing) run.tell(new GraphQLError(NOT_THERE, { path }));
  else if (failure instanceof GraphQLError) {
    run.tell(new GraphQLError(failure.message, { path, extensions: failure.extensions }));
  } else throw failure;
  return null;
}

function nameOf({ nodes: [node] }: Site): string {
  return (node.alias ?? node.name).value;
}
