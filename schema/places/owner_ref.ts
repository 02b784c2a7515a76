import { builder } from '#schema/builder.ts';
import { deprecated } from '#schema/deprecated.ts';
import type { InputFields } from '#schema/inputs.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/** The type by which facades know that a field names a project or a group, which they take by other fields. */
export const OWNER_REF = 'OwnerRef';

const OwnerRef = builder.inputType(OWNER_REF, {
  description: 'A project or a group: one of the two.',
  isOneOf: true,
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', description: 'A project: full path, global ID or numeric ID.' }),
    group: t.field({ type: 'GroupRef', description: 'A group: full path, global ID or numeric ID.' }),
  }),
});

/** Descriptions of the fields of an input that names a project or a group. */
interface OwnerDescriptions {
  owner: string;
  project: string;
  group: string;
}

/**
 * The fields of an input that names a project or a group, of which `mutation` hands on `project` and `group`: either as `owner`, or by
 * the two fields that came before it.
 */
export function ownerFields(t: InputFields, { owner, project, group }: OwnerDescriptions) {
  return {
    owner: t.field({ type: OwnerRef, description: owner }),
    project: t.field({
      type: 'ProjectRef',
      description: project,
      ...deprecated('Use `owner: { project: … }`.', '0.3.0', '0.5.0'),
    }),
    group: t.field({
      type: 'GroupRef',
      description: group,
      ...deprecated('Use `owner: { group: … }`.', '0.3.0', '0.5.0'),
    }),
  };
}

interface Owned {
  owner?: { project?: IdOrPath | null; group?: IdOrPath | null } | null;
  project?: unknown;
  group?: unknown;
}

/** An input with its owner as `project` and `group`, by whichever fields it was named. Throws ValidationFailed if by both. */
export function withOwner<Input extends object>(input: Input): Input {
  const { owner, ...rest } = input as Input & Owned;
  if (owner == null) return 'owner' in input ? (rest as Input) : input;
  if (rest.project != null || rest.group != null) {
    throw new ValidationFailed({ owner: ['cannot be given beside project or group'] });
  }
  return { ...rest, ...owner } as Input;
}
