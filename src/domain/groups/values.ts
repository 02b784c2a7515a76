import type { CreationLevel, Visibility } from '#src/access/permissions/abilities.ts';
import type { FeatureLevel } from '#src/access/permissions/features.ts';
import { groupPathErrors } from '#src/domain/namespaces/group_path.ts';
import type { FieldErrors } from '#src/platform/errors.ts';
import type { IncomingPicture } from '#src/platform/pictures.ts';

/** The values of a group; absent ones stay unchanged. */
export interface GroupValues {
  name?: string | null | undefined;
  path?: string | null | undefined;
  description?: string | null | undefined;
  visibility?: Visibility | null | undefined;
  lfsEnabled?: boolean | null | undefined;
  requestAccessEnabled?: boolean | null | undefined;
  /** Who can use its wiki. */
  wikiAccessLevel?: FeatureLevel | null | undefined;
  /** Whether projects in it are shared with no group. */
  shareWithGroupLock?: boolean | null | undefined;
  /** Whether the group at the top, and groups in it, are shared with groups of its tree alone. */
  preventSharingGroupsOutsideHierarchy?: boolean | null | undefined;
  /** Megabytes that the artifacts of a job in its projects may have; null for the limit of its parent. */
  maxArtifactsSize?: number | null | undefined;
  projectCreationLevel?: CreationLevel | null | undefined;
  subgroupCreationLevel?: 'owner' | 'maintainer' | null | undefined;
  /** Its picture; null removes it. */
  avatar?: IncomingPicture | null | undefined;
}

/** Megabytes of the largest limit of artifacts that can be set: a terabyte. */
export const MAX_ARTIFACTS_SIZE = 1024 * 1024;

/** The errors of the given texts (behaviour.md 1.6). */
export function groupErrors({ name, path, description, maxArtifactsSize }: GroupValues, nested: boolean): FieldErrors {
  const errors: FieldErrors = {};
  if (name != null) {
    const wrong = nameErrors(name);
    if (wrong.length > 0) errors.name = wrong;
  }
  if (path != null) {
    const wrong = path === '' ? ["can't be blank"] : groupPathErrors(path, { nested });
    if (wrong.length > 0) errors.path = wrong;
  }
  if (description != null && description.length > 255) {
    errors.description = ['is too long (maximum is 255 characters)'];
  }
  if (maxArtifactsSize != null && (maxArtifactsSize < 1 || maxArtifactsSize > MAX_ARTIFACTS_SIZE)) {
    errors.max_artifacts_size = [`must be from 1 to ${MAX_ARTIFACTS_SIZE}`];
  }
  return errors;
}

/** Letters and combining marks, digits, `_`, `.`, dashes of all kinds, spaces. */
const NAME = /^[\p{L}\p{M}\p{N}\p{Pd}_. ]+$/u;

function nameErrors(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"];
  if (name.length > 255) return ['is too long (maximum is 255 characters)'];
  return NAME.test(name) ? [] : ["can contain only letters, digits, '_', '.', dash and space."];
}
