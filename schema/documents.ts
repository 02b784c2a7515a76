import type { DocumentNode, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { toldValidation } from '#schema/answer/errors.ts';
import type { KnownDocuments } from '#schema/known_documents.ts';
import { type Limiter, type Limits, parseWithin } from '#schema/limits.ts';
import type { Measure } from '#schema/measure.ts';
import { withoutSecrets } from '#schema/redact.ts';

/** What `context` holds from parsing on. */
export interface Measured {
  measure?: Measure | null;
}

/**
 * Parses documents and holds them against the limits before anything else looks at them. Only valid documents are kept, and
 * these are neither parsed nor validated again.
 */
export function documents(limits: Limits, limiter: Limiter, known: KnownDocuments): Plugin<Measured> {
  const valid = new WeakSet<DocumentNode>();
  const texts = new WeakMap<DocumentNode, string>();
  return {
    onParse({ params: { source }, context, extendContext, setParsedDocument }) {
      const text = typeof source === 'string' ? source : source.body;
      const before = known.find(text);
      const document = before ?? parseWithin(text, limits);
      const { operationName, variables } = context.params;
      extendContext({ measure: limiter.check(document, operationName ?? undefined, variables ?? {}) });
      if (!before) limiter.checkRepeats(document);
      texts.set(document, text);
      setParsedDocument(document);
    },
    onValidate({ params: { documentAST, schema }, setResult }) {
      if (valid.has(documentAST)) return setResult([]);
      return ({ result, setResult }) => {
        if (result.length > 0) {
          return setResult(toldValidation(schema, documentAST, result as GraphQLError[]).map(withoutSecrets));
        }
        const text = texts.get(documentAST);
        valid.add(documentAST);
        if (text !== undefined) known.keep(text, documentAST);
      };
    },
  };
}
