import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { type ChangedRecord, projectScoped } from '#src/domain/projects/project_scoped.ts';
import { isPattern } from '#src/domain/repository/branches/match_whole.ts';
import type { ContainerProtectionRole } from '#src/generated/prisma/client.ts';
import { type Transaction, violates } from '#src/platform/database/db.ts';
import { LimitReached, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { alias } from '#src/platform/records/alias.ts';

/** How many rules a project has at most: all are read at each push of a tag. */
const MAX_RULES = 5;
/** Characters of the longest pattern. */
const MAX_PATTERN_LENGTH = 100;

/** What a rule says; what is left out stays as it is. */
export interface TagRuleValues {
  /** Regular expression that matches whole names. */
  tagNamePattern?: string | null | undefined;
  /** From which role on users may; null in both for tags that stay as they are. */
  minimumAccessLevelForPush?: ContainerProtectionRole | null | undefined;
  minimumAccessLevelForDelete?: ContainerProtectionRole | null | undefined;
}

/** The rules for the tags of images, for masters. */
export const tagRules = projectScoped({
  ability: 'admin_container_image',
  rows: alias('ContainerTagProtectionRule', 'ctr'),
});

/** Protects the tags of images with names that match a pattern. Throws NotFound, Forbidden, ValidationFailed. */
export async function createTagRule(context: Context, ref: IdOrPath, values: TagRuleValues): Promise<ChangedRecord> {
  const project = await administered(context, ref);
  const { tagNamePattern = '', minimumAccessLevelForPush = null, minimumAccessLevelForDelete = null } = values;
  const data = { tagNamePattern: tagNamePattern ?? '', minimumAccessLevelForPush, minimumAccessLevelForDelete };
  await requireTagRule(project, data);
  return taken(() =>
    context.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM projects WHERE id = ${project.id} FOR UPDATE`;
      if ((await tx.containerTagProtectionRule.count({ where: { projectId: project.id } })) >= MAX_RULES)
        throw new ValidationFailed({ base: [`a project has at most ${MAX_RULES} protection rules for tags`] });
      const where = { ...data, projectId: project.id };
      const { id } = await tx.containerTagProtectionRule.create({ data: where, select: { id: true } });
      await audit(tx, context, { action: 'container_tag_protection_rule_created', ...audited(project, id) });
      return { project, id };
    }),
  );
}

/** Changes a rule. Throws NotFound, Forbidden, ValidationFailed. */
export async function updateTagRule(
  context: Context,
  ref: IdOrPath,
  id: number,
  values: TagRuleValues,
): Promise<ChangedRecord> {
  const project = await administered(context, ref);
  const known = await context.db.containerTagProtectionRule.findFirst({ where: { id, projectId: project.id } });
  if (!known) throw new NotFound('ContainerTagProtectionRule');
  const level = (given: ContainerProtectionRole | null | undefined, kept: ContainerProtectionRole | null) =>
    given === undefined ? kept : given;
  const data = {
    tagNamePattern: values.tagNamePattern ?? known.tagNamePattern,
    minimumAccessLevelForPush: level(values.minimumAccessLevelForPush, known.minimumAccessLevelForPush),
    minimumAccessLevelForDelete: level(values.minimumAccessLevelForDelete, known.minimumAccessLevelForDelete),
  };
  await requireTagRule(project, data);
  return taken(() =>
    context.db.$transaction(async (tx) => {
      const before = await rowBefore(tx, 'ContainerTagProtectionRule', id);
      const { count } = await tx.containerTagProtectionRule.updateMany({
        where: { id, updatedAt: known.updatedAt },
        data,
      });
      if (count === 0) throw new NotFound('ContainerTagProtectionRule');
      await auditChanges(
        tx,
        context,
        { action: 'container_tag_protection_rule_updated', ...audited(project, id) },
        before,
      );
      return { project, id };
    }),
  );
}

/** Removes a rule. Returns its ID. Throws NotFound, Forbidden. */
export async function deleteTagRule(context: Context, ref: IdOrPath, id: number): Promise<number> {
  const project = await administered(context, ref);
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.containerTagProtectionRule.deleteMany({ where: { id, projectId: project.id } });
    if (count === 0) throw new NotFound('ContainerTagProtectionRule');
    await audit(tx, context, { action: 'container_tag_protection_rule_deleted', ...audited(project, id) });
  });
  return id;
}

async function administered(context: Context, ref: IdOrPath): Promise<ProjectRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_container_image', project);
  return project;
}

function audited({ id: projectId }: ProjectRow, id: number) {
  return { place: { projectId }, target: { type: 'ContainerTagProtectionRule', id } } as const;
}

/** Throws LimitReached for a project that was imported with more rules than it could have been given one by one. */
export async function requireFewTagRules(tx: Transaction, { id: projectId }: { id: number }): Promise<void> {
  if ((await tx.containerTagProtectionRule.count({ where: { projectId } })) > MAX_RULES)
    throw new LimitReached(`A project has at most ${MAX_RULES} protection rules for tags`);
}

/** Throws ValidationFailed for a rule that a project cannot have. */
export async function requireTagRule({ id }: { id: number }, values: Required<TagRuleValues>): Promise<void> {
  const { tagNamePattern: pattern, minimumAccessLevelForPush: push, minimumAccessLevelForDelete: remove } = values;
  const wrong: Record<string, string[]> = {};
  if (!pattern?.trim()) wrong.tag_name_pattern = ["can't be blank"];
  else if (pattern.length > MAX_PATTERN_LENGTH)
    wrong.tag_name_pattern = [`is too long (maximum is ${MAX_PATTERN_LENGTH} characters)`];
  else if (!(await isPattern(pattern, `project ${id}`))) wrong.tag_name_pattern = ['is an invalid regular expression'];
  if ((push == null) !== (remove == null))
    wrong.base = ['either both access levels are given, or none for tags that nobody changes'];
  if (Object.keys(wrong).length > 0) throw new ValidationFailed(wrong);
}

async function taken<T>(save: () => Promise<T>): Promise<T> {
  try {
    return await save();
  } catch (error) {
    if (violates(error, 'tag_name_pattern'))
      throw new ValidationFailed({ tag_name_pattern: ['has already been taken'] }).asExisting();
    throw error;
  }
}
