import type { DeprecatedPart } from '#schema/usage/deprecated_parts.ts';

/** A warning in `extensions.warnings` of an answer. */
export interface Warning {
  code: 'DEPRECATED';
  /** The coordinate in the schema. */
  field: string;
  message: string;
}

/** How many warnings an answer has at most. */
const MAX_WARNINGS = 10;

/** The warnings about what is deprecated; undefined without any. */
export function warningsOf(parts: readonly DeprecatedPart[]): Warning[] | undefined {
  if (parts.length === 0) return undefined;
  return parts
    .slice(0, MAX_WARNINGS)
    .map(({ field, reason }) => ({ code: 'DEPRECATED', field, message: `${field} is deprecated: ${reason}` }));
}
