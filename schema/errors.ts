import { GraphQLError, Kind } from 'graphql';
import { tooLarge } from '#schema/limits.ts';
import { fieldsWithNul } from '#schema/nul.ts';
import { withoutSecrets } from '#schema/redact.ts';
import { damageRefusal, goneRefusal, limitRefusal } from '#src/domain/repository/refusals.ts';
import { unstorable, vanished } from '#src/platform/database/db.ts';
import { DomainError, NotFound } from '#src/platform/errors.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';

/**
 * Passes errors of the domain and of the request, and converts temporary failures to UNAVAILABLE; other errors are reported and
 * hidden.
 *
 * @param variables of the request, if known
 */
export function maskError(error: unknown, report: (error: unknown) => void, variables?: unknown): GraphQLError {
  if (error instanceof GraphQLError) {
    const { originalError } = error;
    const { nodes, path } = error;
    if (!originalError || originalError instanceof GraphQLError || originalError instanceof DomainError) {
      if (!isOfSchema(error)) return withoutSecrets(error);
      report(error);
      return new GraphQLError('Unexpected error.', { nodes, path, extensions: { code: 'INTERNAL_SERVER_ERROR' } });
    }
    if (originalError instanceof RangeError && originalError.message.includes('call stack')) {
      return tooLarge('A value is nested too deeply.', { kind: 'depth' }, nodes);
    }
    const damage = damageRefusal(originalError);
    if (damage) report(originalError);
    const refusal = limitRefusal(originalError) ?? goneRefusal(originalError) ?? damage;
    if (refusal) return new GraphQLError(refusal.message, { nodes, path, originalError: refusal });
    if (unstorable(originalError)) {
      const names = fieldsWithNul(nodes ?? [], variables);
      const fields = Object.fromEntries(names.map((name) => [name, ['cannot hold the character NUL']]));
      return new GraphQLError(`${names[0] ?? 'Text'} cannot hold the character NUL`, {
        nodes,
        path,
        extensions: { code: 'BAD_REQUEST', ...(names.length > 0 ? { fields } : {}) },
      });
    }
    const gone = vanished(originalError);
    if (gone !== null) {
      // It was deleted after the request had found it.
      const notFound = new NotFound(`${gone.slice(0, 1).toUpperCase()}${gone.slice(1)}`);
      return new GraphQLError(notFound.message, { nodes, path, originalError: notFound });
    }
    report(originalError);
    const passes = transientFailure(originalError)?.refusal;
    if (passes) return new GraphQLError(passes.message, { nodes, path, originalError: passes });
    return new GraphQLError('Unexpected error.', { nodes, path, extensions: { code: 'INTERNAL_SERVER_ERROR' } });
  }
  if (error instanceof DomainError) return new GraphQLError(error.message, { originalError: error });
  report(error);
  const passes = transientFailure(error)?.refusal;
  if (passes) return new GraphQLError(passes.message, { originalError: passes });
  return new GraphQLError('Unexpected error.', { extensions: { code: 'INTERNAL_SERVER_ERROR' } });
}

/** Whether the executor could not convert what a resolver returned, such as an unknown enum value. */
function isOfSchema({ extensions, path, nodes }: GraphQLError): boolean {
  return extensions.code === undefined && path !== undefined && nodes?.[0]?.kind !== Kind.VARIABLE;
}
