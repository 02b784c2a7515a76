import {
  type DocumentNode,
  execute,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  isObjectType,
  Kind,
  NoFragmentCyclesRule,
  type OperationDefinitionNode,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { type Complexity, complexityOf } from '#compat/engine/complexity.ts';
import { withoutLater } from '#compat/engine/introduced.ts';
import { type Graphs, type Translation, translate } from '#compat/engine/translate.ts';
import { DEFAULT_LIMITS, Limiter, parseWithin } from '#schema/limits.ts';
import { collectFields } from '#schema/plan/fields.ts';

/** An operation of a valid document. */
export interface Prepared {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly size: Complexity;
  /** Made when it is run for the first time: what is too complex for every caller is not translated. */
  translation(): Translation;
  /** The answer to `__schema` and `__type`; null where neither is asked for. */
  introspect: ((variables: Readonly<Record<string, unknown>>) => Record<string, unknown>) | null;
}

/** Errors of a document, before anything of it runs. */
export class InvalidDocument extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super(errors[0]?.message);
    this.errors = errors;
  }
}

/** Characters of the text of a document, and of all those of a batch. */
export const MAX_TEXT_LENGTH = 10_000;

/** Bytes that one character of a document takes once it is parsed and translated, about; and of all that are kept. */
const BYTES_PER_CHARACTER = 300;
const MAX_CACHED_BYTES = 64 * 1024 * 1024;

/** A document by its text: what is wrong with it, or its operations by their names. */
type Known = InvalidDocument | { document: DocumentNode; operations: Map<string | null, Prepared> };

/** Parses, validates and translates documents: once for each text, as long as it is kept. */
export class CompatDocuments {
  readonly #graphs: Graphs;
  readonly #introspections: Limiter;
  readonly #known = new LRUCache<string, Known>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: (_known, text) => (text.length + 100) * BYTES_PER_CHARACTER,
  });

  constructor(graphs: Graphs) {
    this.#graphs = graphs;
    const unlimited = Number.MAX_SAFE_INTEGER;
    const limits = { ...DEFAULT_LIMITS, depth: unlimited, cost: unlimited, records: unlimited, aliases: unlimited };
    this.#introspections = new Limiter(graphs.compat, limits);
  }

  /** The operation to run. Throws InvalidDocument. */
  prepare(text: string, name: string | null): Prepared {
    const known = this.#known.get(text) ?? this.#read(text);
    this.#known.set(text, known);
    if (known instanceof InvalidDocument) throw known;
    const found = known.operations.get(name) ?? this.#operation(known.document, name);
    known.operations.set(name, found);
    return found;
  }

  #read(text: string): Known {
    try {
      const document = withoutLater(parseWithin(text, DEFAULT_LIMITS));
      const errors = this.#errorsOf(document);
      return errors.length > 0 ? new InvalidDocument(errors) : { document, operations: new Map() };
    } catch (error) {
      if (error instanceof GraphQLError) return new InvalidDocument([new GraphQLError(error.message, error)]);
      throw error;
    }
  }

  #errorsOf(document: DocumentNode): readonly GraphQLError[] {
    const { compat, core } = this.#graphs;
    const cycles = validate(compat, document, [NoFragmentCyclesRule]);
    if (cycles.length > 0) return cycles;
    requireFew(document);
    this.#introspections.checkRepeats(document);
    const errors = validate(compat, document, undefined, { maxErrors: 20, hideSuggestions: true });
    if (errors.length === 0) return [];
    const isForCore = validate(core, document, undefined, { maxErrors: 1 }).length === 0;
    return [...errors.map(told), ...(isForCore ? [new GraphQLError(ELSEWHERE)] : [])];
  }

  #operation(document: DocumentNode, name: string | null): Prepared {
    const operation = getOperationAST(document, name ?? undefined);
    if (!operation) {
      const message = name === null ? 'An operation name is required' : `No operation named "${name.slice(0, 100)}"`;
      throw new InvalidDocument([new GraphQLError(message)]);
    }
    let made: Translation | undefined;
    const translation = () => {
      made ??= translate(this.#graphs, document, operation);
      return made;
    };
    const introspect = introspection(this.#graphs.compat, document, operation);
    const size = complexityOf(document, operation);
    if (introspect) {
      try {
        this.#introspections.check(document, name ?? undefined, {});
      } catch (error) {
        throw error instanceof GraphQLError ? new InvalidDocument([error]) : error;
      }
    }
    return { document, operation, size, translation, introspect };
  }
}

/** Operations of a document at most, and spreads of fragments in each, all of which the checks below go through. */
const MAX_OPERATIONS = 50;
const MAX_SPREADS = 500;

/** Throws GraphQLError for a document that it would take long to look at. No fragment of it is within itself. */
function requireFew(document: DocumentNode): void {
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  if (operations.length > MAX_OPERATIONS) {
    throw new GraphQLError(`The document has more than ${MAX_OPERATIONS} operations.`);
  }
  if (operations.some((operation) => complexityOf(document, operation).spreads > MAX_SPREADS)) {
    throw new GraphQLError(`The document spreads fragments more than ${MAX_SPREADS} times.`);
  }
}

const ELSEWHERE = 'This document is of Gantry’s own GraphQL API: send it to /graphql.';

const UNKNOWN_FIELD = /^Cannot query field "(\w+)" on type "(\w+)"/;

/** Clients look for this one text; all others are those of graphql-js. */
function told(error: GraphQLError): GraphQLError {
  const [, fieldName, typeName] = UNKNOWN_FIELD.exec(error.message) ?? [];
  if (fieldName === undefined) return new GraphQLError(error.message, { nodes: error.nodes });
  const extensions = { code: 'undefinedField', typeName, fieldName };
  return new GraphQLError(`Field '${fieldName}' doesn't exist on type '${typeName}'`, {
    nodes: error.nodes,
    extensions,
  });
}

/** Answers `__schema` and `__type` by the compatibility schema; once where no variable can change the answer. */
function introspection(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Prepared['introspect'] {
  const type = schema.getRootType(operation.operation);
  if (!isObjectType(type)) return null;
  const fragments = document.definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  const byName = Object.fromEntries(fragments.map((one) => [one.name.value, one]));
  const fields = collectFields(schema, byName, type, [operation.selectionSet]);
  const nodes: FieldNode[] = fields.flatMap(({ nodes: all }) =>
    ['__schema', '__type'].includes(all[0].name.value) ? all : [],
  );
  if (nodes.length === 0) return null;
  const selectionSet = { kind: Kind.SELECTION_SET, selections: nodes } as const;
  const own: DocumentNode = { kind: Kind.DOCUMENT, definitions: [{ ...operation, selectionSet }, ...fragments] };
  const run = (variableValues: Readonly<Record<string, unknown>>) => {
    const result = execute({ schema, document: own, variableValues });
    if (result instanceof Promise) throw new Error('Introspection waits for nothing');
    return result.data ?? {};
  };
  if (operation.variableDefinitions?.length) return run;
  let known: Record<string, unknown> | undefined;
  return () => {
    known ??= run({});
    return known;
  };
}
