import { DEVELOPER, GUEST, MASTER, OWNER, REPORTER } from '#src/access/permissions/abilities.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { LEVEL_NAMES } from '#src/access/permissions/level_names.ts';
import type { Source } from '#src/domain/members/source.ts';
import { type FieldErrors, Forbidden } from '#src/platform/errors.ts';

const LEVELS: Record<Source['kind'], readonly number[]> = {
  project: [GUEST, REPORTER, DEVELOPER, MASTER],
  group: [GUEST, REPORTER, DEVELOPER, MASTER, OWNER],
};

/** The word for an access level in texts for people, as `t` takes it. */
export function levelName(level: number): string {
  return LEVEL_NAMES[level] ?? `level ${level}`;
}

/** The errors of an access level in the source (rest-api-v4.md, Member: 50 is valid for groups only). */
export function levelErrors({ kind }: Source, level: number): FieldErrors {
  return LEVELS[kind].includes(level) ? {} : { access_level: ['is not included in the list'] };
}

/** Throws Forbidden for a level above the actor's own. */
export function checkGrant(actor: Actor, { record }: Source, level: number): void {
  if (!actor.admin && level > record.accessLevel) throw new Forbidden();
}
