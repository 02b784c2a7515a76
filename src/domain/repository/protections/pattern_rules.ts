import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import { authorize, type ProjectAbility } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { changedRoles, type RuleRoles } from '#src/domain/repository/protections/roles.ts';
import { type Transaction, violates } from '#src/platform/database/db.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** How many rules of a kind a project has at most: they are read at each request that they are about. */
const MAX_RULES = 100;
/** Characters of the longest pattern. */
const MAX_LENGTH = 255;
const PATTERN = /^[\w.*@/+~-]+$/;

type Model = 'ContainerProtectionRepositoryRule' | 'PackagesProtectionRule';

/** The part of Prisma's table that is needed here. */
interface RuleTable<Own> {
  count(which: { where: object }): Promise<number>;
  create(made: { data: object; select: { id: true } }): Promise<{ id: number }>;
  findFirst(which: { where: object }): Promise<(Own & Required<RuleRoles> & { id: number }) | null>;
  update(changed: { where: { id: number }; data: object }): Promise<unknown>;
  deleteMany(which: { where: object }): Promise<{ count: number }>;
}

/** What differs between rules about images and about packages. */
interface PatternRules<Own> {
  model: Model;
  ability: ProjectAbility;
  action: 'container_protection_repository_rule' | 'packages_protection_rule';
  table: (tx: Transaction) => RuleTable<Own>;
  /** The pattern, and its name in the REST API. */
  pattern: (own: Own) => string;
  parameter: string;
  /** Further errors of its values. */
  wrong?: (own: Own, project: ProjectRow) => Record<string, string[]>;
}

/** The commands of rules that keep some of those who may push or delete from it, by names with `*`. For whom `ability` says. */
export function patternRules<Own extends object>(kind: PatternRules<Own>) {
  const { model, ability, action, table } = kind;
  const audited = ({ id: projectId }: ProjectRow, id: number) =>
    ({ place: { projectId }, target: { type: model, id } }) as const;

  async function administered(context: Context, ref: IdOrPath): Promise<ProjectRow> {
    const actor = requireActor(context);
    const project = await findProject(context, ref);
    authorize(actor, ability, project);
    return project;
  }

  /** Throws ValidationFailed. */
  function requireValid(project: ProjectRow, own: Own, roles: RuleRoles): void {
    const pattern = kind.pattern(own);
    const wrong: Record<string, string[]> = { ...kind.wrong?.(own, project) };
    if (pattern === '') wrong[kind.parameter] = ["can't be blank"];
    else if (pattern.length > MAX_LENGTH) wrong[kind.parameter] = [`is too long (maximum is ${MAX_LENGTH} characters)`];
    else if (!PATTERN.test(pattern)) wrong[kind.parameter] = ['should be a name with optional wildcard characters'];
    if (roles.minimumAccessLevelForPush == null && roles.minimumAccessLevelForDelete == null)
      wrong.base = ['A rule must have at least a minimum access level for push or for delete'];
    if (Object.keys(wrong).length > 0) throw new ValidationFailed(wrong);
  }

  async function saved<Result>(context: Context, save: (tx: Transaction) => Promise<Result>): Promise<Result> {
    try {
      return await context.db.$transaction(save);
    } catch (error) {
      if (!violates(error)) throw error;
      throw new ValidationFailed({ [kind.parameter]: ['has already been taken'] }).asExisting();
    }
  }

  return {
    /** Creates a rule. Throws NotFound, Forbidden, ValidationFailed. */
    async create(context: Context, ref: IdOrPath, own: Own, given: RuleRoles): Promise<ChangedRecord> {
      const project = await administered(context, ref);
      const roles = changedRoles({ minimumAccessLevelForPush: null, minimumAccessLevelForDelete: null }, given);
      requireValid(project, own, roles);
      return saved(context, async (tx) => {
        await tx.$queryRaw`SELECT 1 FROM projects WHERE id = ${project.id} FOR UPDATE`;
        if ((await table(tx).count({ where: { projectId: project.id } })) >= MAX_RULES)
          throw new ValidationFailed({ base: [`a project has at most ${MAX_RULES} such rules`] });
        const data = { ...own, ...roles, projectId: project.id };
        const { id } = await table(tx).create({ data, select: { id: true } });
        await audit(tx, context, { action: `${action}_created`, ...audited(project, id) });
        return { project, id };
      });
    },

    /** Changes a rule: what is absent stays. Throws as `create`. */
    async update(
      context: Context,
      ref: IdOrPath,
      id: number,
      changes: (known: Own) => Own,
      given: RuleRoles,
    ): Promise<ChangedRecord> {
      const project = await administered(context, ref);
      return saved(context, async (tx) => {
        const known = await table(tx).findFirst({ where: { id, projectId: project.id } });
        if (!known) throw new NotFound(model);
        const [own, roles] = [changes(known), changedRoles(known, given)];
        requireValid(project, own, roles);
        const before = await rowBefore(tx, model, id);
        await table(tx).update({ where: { id }, data: { ...own, ...roles } });
        await auditChanges(tx, context, { action: `${action}_updated`, ...audited(project, id) }, before);
        return { project, id };
      });
    },

    /** Removes a rule. Returns its ID. Throws NotFound, Forbidden. */
    async remove(context: Context, ref: IdOrPath, id: number): Promise<number> {
      const project = await administered(context, ref);
      await context.db.$transaction(async (tx) => {
        const { count } = await table(tx).deleteMany({ where: { id, projectId: project.id } });
        if (count === 0) throw new NotFound(model);
        await audit(tx, context, { action: `${action}_deleted`, ...audited(project, id) });
      });
      return id;
    },
  };
}
