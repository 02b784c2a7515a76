import { audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import {
  invalidRule,
  type LevelInput,
  type LevelKind,
  newLevels,
  requireDeployKeys,
  requireFew,
  requireName,
} from '#src/domain/repository/protections/given_levels.ts';
import { violates } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

const CREATE: LevelKind = { name: 'create_access_levels', deployKeys: true, nobody: true };

export interface NewTagProtectionRule {
  /** Of a tag, or a pattern with `*`. */
  name: string;
  createAccessLevel?: number | null | undefined;
  allowedToCreate?: readonly LevelInput[] | null | undefined;
}

/** Protects the tags with a name. Throws NotFound, Forbidden, VALIDATION_FAILED. */
export async function createTagProtectionRule(
  context: Context,
  ref: IdOrPath,
  { name, createAccessLevel, allowedToCreate }: NewTagProtectionRule,
): Promise<ChangedRecord> {
  const project = await administered(context, ref);
  requireName(name);
  const levels = newLevels(CREATE, createAccessLevel, allowedToCreate);
  const data = levels.map(({ accessLevel, deployKeyId }) => ({ accessLevel, deployKeyId }));
  try {
    return await context.db.$transaction(async (tx) => {
      requireFew(await tx.protectedTag.count({ where: { projectId: project.id } }));
      await requireDeployKeys(tx, project.id, CREATE, levels);
      const { id } = await tx.protectedTag.create({
        data: { projectId: project.id, name, levels: { create: data } },
        select: { id: true },
      });
      const target = { type: 'ProtectedTag', id, name } as const;
      await audit(tx, context, { action: 'protected_tag_created', place: { projectId: project.id }, target });
      return { project, id };
    });
  } catch (error) {
    if (violates(error, 'name')) throw invalidRule({ name: ['has already been taken'] });
    throw error;
  }
}

/** Removes a protection. Throws NotFound, Forbidden. */
export async function deleteTagProtectionRule(context: Context, ref: IdOrPath, name: string): Promise<void> {
  const project = await administered(context, ref);
  const where = { projectId: project.id, name };
  await context.db.$transaction(async (tx) => {
    const found = name.includes('\0') ? null : await tx.protectedTag.findFirst({ where });
    const { count } = found ? await tx.protectedTag.deleteMany({ where: { id: found.id } }) : { count: 0 };
    if (!found || count === 0) throw new NotFound('TagProtectionRule');
    const target = { type: 'ProtectedTag', id: found.id, name } as const;
    await audit(tx, context, { action: 'protected_tag_deleted', place: { projectId: project.id }, target });
  });
}

async function administered(context: Context, ref: IdOrPath) {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_protected_tag', project);
  return project;
}
