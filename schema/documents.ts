import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  NoFragmentCyclesRule,
  type OperationDefinitionNode,
  validate,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { toldValidation } from '#schema/answer/errors.ts';
import { Limiter, type Limits, parseWithin } from '#schema/limits.ts';
import type { Measure } from '#schema/measure.ts';
import { withoutSecrets } from '#schema/redact.ts';

/** What parsing adds to `context`. */
export interface Measured {
  measure?: Measure | null;
}

/** The parts of a request that select an operation. */
export interface Wanted {
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
}

/** An operation of a valid document within the limits. */
export interface Prepared extends Measured {
  document: DocumentNode;
  operation: OperationDefinitionNode;
}

export class Invalid extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super(errors[0]?.message);
    this.errors = errors;
  }
}

const NO_OPERATION = 'The document has no operation with that name, or has several and none was named.';

/** Characters of all cached documents, and of the largest: a parsed document takes up to a hundred times as many bytes. */
const MAX_CACHED_CHARACTERS = 512 * 1024;
const MAX_CACHED_DOCUMENT_LENGTH = 32 * 1024;

/** Parses documents and checks them against the limits first. Valid documents are cached by text, with their validation. */
export class Documents {
  readonly limiter: Limiter;
  readonly #schema: GraphQLSchema;
  readonly #limits: Limits;
  readonly #valid = new LRUCache<string, DocumentNode>({
    maxSize: MAX_CACHED_CHARACTERS,
    maxEntrySize: MAX_CACHED_DOCUMENT_LENGTH,
    sizeCalculation: (_document, text) => text.length + 1,
  });
  /** Texts of documents that are cached, or parsed but not yet validated. */
  readonly #texts = new WeakMap<DocumentNode, string>();
  /** The errors of documents with fragments within themselves, which are not validated any further. */
  readonly #cycles = new WeakMap<DocumentNode, readonly GraphQLError[]>();

  constructor(schema: GraphQLSchema, limits: Limits) {
    this.#schema = schema;
    this.#limits = limits;
    this.limiter = new Limiter(schema, limits);
  }

  /** Returns the operation to execute. Throws Invalid, or GraphQLError for syntax errors and exceeded limits. */
  prepare(text: string, wanted: Wanted): Prepared {
    const { document, measure } = this.parse(text, wanted);
    const errors = this.validate(document);
    if (errors.length > 0) throw new Invalid(errors);
    const operation = getOperationAST(document, wanted.operationName);
    if (!operation)
      throw new GraphQLError(NO_OPERATION, { extensions: { code: 'BAD_REQUEST', http: { status: 400 } } });
    return { document, operation, measure };
  }

  /** The document, and the measure of its requested operation. Throws GraphQLError for syntax errors and exceeded limits. */
  parse(text: string, { operationName, variables }: Wanted): { document: DocumentNode } & Measured {
    const known = this.#valid.get(text);
    const document = known ?? parseWithin(text, this.#limits);
    const measure = this.limiter.check(document, operationName ?? undefined, variables ?? {});
    if (!known) {
      const cycles = validate(this.#schema, document, [NoFragmentCyclesRule]);
      if (cycles.length > 0) this.#cycles.set(document, cycles);
      else this.limiter.checkRepeats(document);
      this.#texts.set(document, text);
    }
    return { document, measure };
  }

  /** The errors of a document that was parsed here; none if it is valid. */
  validate(document: DocumentNode): readonly GraphQLError[] {
    const text = this.#texts.get(document);
    if (text !== undefined && this.#valid.get(text) === document) return [];
    const errors = this.#cycles.get(document) ?? validate(this.#schema, document);
    if (errors.length > 0) return toldValidation(this.#schema, document, errors).map(withoutSecrets);
    if (text !== undefined) this.#valid.set(text, document);
    return [];
  }
}

/** Makes yoga parse and validate documents here. */
export function parsing(documents: Documents): Plugin<Measured> {
  return {
    onParse({ params: { source }, context, extendContext, setParsedDocument }) {
      const text = typeof source === 'string' ? source : source.body;
      const { document, measure } = documents.parse(text, context.params);
      extendContext({ measure });
      setParsedDocument(document);
    },
    onValidate({ params: { documentAST }, setResult }) {
      setResult(documents.validate(documentAST));
    },
  };
}
