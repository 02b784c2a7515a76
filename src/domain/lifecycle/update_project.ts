import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { authorize, type Visibility } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { changedFeatures, FEATURE_COLUMNS, FEATURES, type Features } from '#src/access/permissions/features.ts';
import { isWider, visibilityErrors } from '#src/access/permissions/visibility_levels.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import { changedPolicy, type PolicyValues, writePolicy } from '#src/domain/container_registry/expiration_policy.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { changedPullMirror, type PullMirrorValues, writePullMirror } from '#src/domain/imports/mirrors/save_pull.ts';
import { holdNamespace } from '#src/domain/namespaces/lock.ts';
import { redirectProject, takePath } from '#src/domain/namespaces/redirects.ts';
import { saveProjectAvatar } from '#src/domain/projects/avatar.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { takenIn } from '#src/domain/projects/taken.ts';
import {
  type FeatureAccess,
  givenSettings,
  givenSwitches,
  type ProjectSettings,
  type ProjectTexts,
  type Switches,
  tags,
  textErrors,
} from '#src/domain/projects/values.ts';
import { changeDefaultBranch } from '#src/domain/repository/default_branch.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { type FieldErrors, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { type IncomingPicture, readPicture } from '#src/platform/pictures.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

export interface ProjectChanges
  extends Pick<
      ProjectTexts,
      'description' | 'defaultBranch' | 'tagList' | 'buildTimeout' | 'ciDefaultGitDepth' | 'maxArtifactsSize'
    >,
    Switches,
    ProjectSettings,
    FeatureAccess {
  name?: string | null | undefined;
  path?: string | null | undefined;
  visibility?: Visibility | null | undefined;
  /** Replaces the picture; null removes it. */
  avatar?: IncomingPicture | null | undefined;
  /** Whether its own jobs may push to it with their tokens. */
  jobTokenPushAllowed?: boolean | null | undefined;
  /** What it mirrors. */
  pullMirror?: PullMirrorValues | null | undefined;
  /** Which tags of its images are deleted on a schedule. */
  containerExpirationPolicy?: PolicyValues | null | undefined;
}

/**
 * Updates a project: unset means unchanged, null clears description, default branch and tags. An old path redirects to the new
 * one. If a fork becomes less visible than its source, its open merge requests there are closed. Throws NotFound, Forbidden,
 * ValidationFailed.
 */
export async function updateProject(context: Context, ref: IdOrPath, changes: ProjectChanges): Promise<ProjectRow> {
  const actor = requireActor(context);
  const found = await findProject(context, ref);
  authorize(actor, 'update_project', found);
  const name = changes.name?.trim() ?? found.name;
  if (name !== found.name) authorize(actor, 'rename_project', found);
  if ((changes.visibility ?? found.visibility) !== found.visibility) authorize(actor, 'change_visibility', found);
  const mirror = await changedPullMirror(context, actor, found, changes.pullMirror);
  const policy = await changedPolicy(context, found, changes.containerExpirationPolicy);
  const picture = changes.avatar && (await readPicture(changes.avatar));
  const settings = await currentSettings(context.db);
  const branchErrors = textErrors({ defaultBranch: changes.defaultBranch });
  if (Object.keys(branchErrors).length > 0) {
    throw new ValidationFailed(branchErrors, changedTextErrors(found, { ...changes, name }));
  }
  const defaultBranch = changes.defaultBranch === undefined ? found.defaultBranch : changes.defaultBranch || null;
  if (defaultBranch !== found.defaultBranch) await changeDefaultBranch(context, found, defaultBranch);
  try {
    await context.db.$transaction(async (tx) => {
      const project = await hold(tx, found.id);
      const path = changes.path ?? project.path;
      const errors = changedTextErrors(project, { ...changes, name, path });
      const visibility = changes.visibility ?? project.visibility;
      const wrong = visibility === project.visibility ? [] : visibilityErrors(actor, settings, visibility, project);
      if (wrong.length > 0) errors.visibility_level = wrong;
      if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
      const before = await rowBefore(tx, 'Project', project.id);
      if (path !== project.path) await redirectProject(tx, project.id);
      await tx.project.update({
        where: { id: project.id },
        data: { ...columns(changes), ...(await featureColumns(tx, project.id, changes)), name, path, visibility },
      });
      if (picture !== undefined) await saveProjectAvatar(tx, project.id, picture);
      if (mirror) await writePullMirror(tx, context, project.id, mirror);
      if (policy) await writePolicy(tx, context, project.id, policy);
      if (isWider(project.visibility, visibility)) {
        await recordChange(tx, context, { type: 'forkHidden', fork: { id: project.id }, actor });
      }
      if (path !== project.path) await takePath(tx, `${project.namespacePath}/${path}`);
      await auditChanges(tx, context, { action: 'project_updated', ...audited(project) }, before);
    });
  } catch (error) {
    const wanted = { namespaceId: found.namespaceId, id: found.id, name, path: changes.path ?? found.path };
    const taken = await takenIn(context.db, error, wanted);
    throw taken ? new ValidationFailed(taken.fields).asExisting(taken.existing) : error;
  }
  return findProject(context, found.id);
}

function changedTextErrors(
  project: Pick<ProjectRow, 'name' | 'path'>,
  { name, path, ...texts }: ProjectChanges,
): FieldErrors {
  return textErrors({
    ...texts,
    name: name === project.name ? undefined : (name ?? undefined),
    path: path === project.path ? undefined : (path ?? undefined),
  });
}

function audited({ id }: { id: number }) {
  return { place: { projectId: id }, target: { type: 'Project' as const, id } };
}

interface HeldProject {
  id: number;
  name: string;
  path: string;
  visibility: Visibility;
  namespacePath: string;
  /** Visibility of its group, and of its fork source; null if there is none. */
  group: Visibility | null;
  source: Visibility | null;
}

/** Locks the project until the transaction ends, its namespace first, and returns what its visibility is checked against. */
async function hold(tx: Transaction, id: number): Promise<HeldProject> {
  const place = await tx.project.findUnique({ where: { id }, select: { namespaceId: true } });
  const namespace = place && (await holdNamespace(tx, place.namespaceId));
  const [project] = await tx.$queryRaw<Omit<HeldProject, 'namespacePath' | 'group'>[]>`
    SELECT id, name, path, visibility::text AS visibility,
      (SELECT s.visibility::text FROM projects s WHERE s.id = p.forked_from_id AND s.deleted_at IS NULL) AS source
    FROM projects p WHERE id = ${id} AND namespace_id = ${place?.namespaceId ?? 0} AND deleted_at IS NULL FOR UPDATE`;
  if (!namespace || !project) throw new NotFound('Project');
  const group = namespace.kind === 'group' ? namespace.visibility : null;
  return { ...project, namespacePath: namespace.fullPath, group };
}

/** The columns of the features of a locked project; none unless a switch or level of one is given. */
async function featureColumns(tx: Transaction, id: number, changes: ProjectChanges): Promise<Partial<Features>> {
  const isGiven = FEATURES.some((name) => changes[`${name}Enabled`] != null || changes.featureAccess?.[name] != null);
  if (!isGiven) return {};
  const before = await tx.project.findUniqueOrThrow({ where: { id }, select: FEATURE_COLUMNS });
  return changedFeatures(before, changes, changes.featureAccess ?? {});
}

function columns({
  description,
  defaultBranch: _,
  pullMirror: _mirror,
  containerExpirationPolicy: _policy,
  featureAccess: _access,
  avatar: _avatar,
  tagList,
  buildTimeout,
  ciDefaultGitDepth,
  maxArtifactsSize,
  jobTokenPushAllowed,
  ...others
}: ProjectChanges) {
  return {
    ...givenSwitches(others),
    ...givenSettings(others),
    ...(buildTimeout == null ? {} : { buildTimeout }),
    ...(jobTokenPushAllowed == null ? {} : { jobTokenPushAllowed }),
    ...(ciDefaultGitDepth === undefined ? {} : { ciDefaultGitDepth }),
    ...(maxArtifactsSize === undefined ? {} : { maxArtifactsSize }),
    ...(description === undefined ? {} : { description }),
    ...(tagList === undefined ? {} : { tagList: tags(tagList) }),
  };
}
