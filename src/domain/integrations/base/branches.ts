import type { Field } from '#src/domain/integrations/base/field.ts';
import type { TellingTools, Told } from '#src/domain/integrations/base/kind.ts';
import { label } from '#src/platform/texts/texts.ts';

/** The branches whose pushes and pipelines an integration is told of. */
export const BRANCHES: Field = {
  name: 'branches_to_be_notified',
  title: label('Branches'),
  type: 'choice',
  hint: label('The branches whose pushes and pipelines are announced.'),
  standard: 'default',
  choices: {
    all: label('All branches'),
    default: label('The default branch'),
    protected: label('Protected branches'),
    default_and_protected: label('The default branch and protected branches'),
  },
};

export const ONLY_BROKEN: Field = {
  name: 'notify_only_broken_pipelines',
  title: label('Announce only failed pipelines'),
  type: 'boolean',
  standard: true,
};

/** Whether an integration is told of an event of this branch; always of events without one. */
export async function concernsBranch(
  { settings, payload }: Pick<Told, 'settings' | 'payload'>,
  branch: string | null,
  { isProtected }: Pick<TellingTools, 'isProtected'>,
): Promise<boolean> {
  const chosen = settings[BRANCHES.name] ?? 'default';
  if (branch === null || chosen === 'all') return true;
  if (chosen !== 'protected' && branch === payload.project.default_branch) return true;
  return chosen !== 'default' && (await isProtected(branch));
}

/** The branch that an event is about; null for tags and events without one. */
export function branchOf({ kind, payload }: Pick<Told, 'kind' | 'payload'>): string | null {
  if (kind === 'push') return payload.ref?.replace(/^refs\/heads\//, '') ?? null;
  if (kind === 'pipeline') {
    const { ref = null, tag } = payload.object_attributes ?? {};
    return tag ? null : ref;
  }
  return null;
}
