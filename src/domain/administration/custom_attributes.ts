import type { Actor } from '#src/access/permissions/actor.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { BadRequest } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const attribute = alias('CustomAttribute', 'ca');

/** Longest key and value, in characters; both together fit into the index by which records are found. */
export const MAX_KEY_LENGTH = 255;
export const MAX_VALUE_LENGTH = 255;

/** Maximum number of attributes in a filter. */
const MAX_FILTERED = 20;

/** The column of an attribute that says whose it is. */
export type CustomAttributeOwner = 'userId' | 'namespaceId' | 'projectId';

/**
 * Conditions for records with all of these attributes, each a key with its value. There are none for callers who are no
 * administrators: whether a record matches would tell them the value. Throws BadRequest.
 *
 * @param id the ID of the record
 * @param given what the caller sent: an object of texts
 */
export function hasCustomAttributes(
  actor: Actor | null,
  owner: CustomAttributeOwner,
  id: Prisma.Sql,
  given: unknown,
): Prisma.Sql[] {
  if (given == null || !actor?.admin) return [];
  return pairsOf(given).map(
    ([key, value]) => sql`${id} IN (SELECT ${attribute[owner]} FROM ${table(attribute)}
      WHERE ${attribute.key} = ${key} AND ${attribute.value} = ${value} AND ${attribute[owner]} IS NOT NULL)`,
  );
}

function pairsOf(given: unknown): [key: string, value: string][] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw invalid('is invalid');
  const pairs = Object.entries(given);
  if (pairs.length > MAX_FILTERED) throw invalid(`has too many keys (maximum is ${MAX_FILTERED})`);
  return pairs.map(([key, value]) => {
    if (typeof value === 'object' || value === null) throw invalid('is invalid');
    return [key, String(value)];
  });
}

function invalid(what: string): BadRequest {
  return new BadRequest(`custom_attributes ${what}`, 'customAttributes');
}
