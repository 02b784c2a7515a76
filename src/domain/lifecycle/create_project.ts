import { type Auditing, audit } from '#src/access/audit/record.ts';
import { MASTER, type Visibility } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import { ALL_FEATURES, changedFeatures, type Features } from '#src/access/permissions/features.ts';
import { closestVisibility, visibilityErrors } from '#src/access/permissions/visibility_levels.ts';
import { type ChangeContext, recordChange } from '#src/domain/changes/record.ts';
import { changedPolicy, type PolicyValues, writePolicy } from '#src/domain/container_registry/expiration_policy.ts';
import { type PullMirrorValues, pullMirrorColumns, writePullMirror } from '#src/domain/imports/mirrors/save_pull.ts';
import { checkedSource, scheduleImport } from '#src/domain/imports/schedule.ts';
import { markDeleted } from '#src/domain/lifecycle/delete_project.ts';
import { type NamespaceRef, namespaceIdOf } from '#src/domain/namespaces/find.ts';
import { pathFrom } from '#src/domain/namespaces/path_from.ts';
import { takePath } from '#src/domain/namespaces/redirects.ts';
import { saveProjectAvatar } from '#src/domain/projects/avatar.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { type HeldHome, type Home, holdHome, permittedHome, personalHome } from '#src/domain/projects/home.ts';
import { takenIn } from '#src/domain/projects/taken.ts';
import {
  type FeatureAccess,
  givenSettings,
  type ProjectSettings,
  type ProjectTexts,
  type Switch,
  tags,
  textErrors,
} from '#src/domain/projects/values.ts';
import { nextDefaultBranch } from '#src/domain/repository/default_branch.ts';
import { createFile } from '#src/domain/repository/files/write.ts';
import { findPusher } from '#src/domain/repository/record.ts';
import { pickStorage } from '#src/domain/repository/storages.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { type FieldErrors, Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { type IncomingPicture, readPicture } from '#src/platform/pictures.ts';
import type { Columns } from '#src/platform/records/model.ts';
import { encrypt, newToken, tokenHash } from '#src/platform/secrets.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

export interface NewProject
  extends Pick<ProjectTexts, 'description' | 'defaultBranch' | 'tagList' | 'buildTimeout' | 'ciDefaultGitDepth'>,
    ProjectSettings,
    FeatureAccess {
  /** One of name and path may be absent: each is derived from the other. */
  name?: string | null | undefined;
  path?: string | null | undefined;
  /** The personal namespace of the creator when absent. */
  namespaceId?: NamespaceRef | null | undefined;
  /** The default of the settings when absent, or a narrower one if the namespace or restrictions require it. */
  visibility?: Visibility | null | undefined;
  /** Whether it gets a first commit with a `README.md` of its name and description. */
  initializeWithReadme?: boolean | null | undefined;
  /** Its picture. */
  avatar?: IncomingPicture | null | undefined;
  switches?: Partial<Pick<Columns['Project'], Switch>>;
  /** Where a job fetches the repository from, over HTTP(S), optionally with user name and password. */
  importUrl?: string | null | undefined;
  /** Whether and how it goes on mirroring that repository. */
  pullMirror?: Omit<PullMirrorValues, 'url'> | null | undefined;
  /** Which tags of its images are deleted on a schedule. */
  containerExpirationPolicy?: PolicyValues | null | undefined;
}

/** How many commits runners fetch of new projects. */
const NEW_DEPTH = 20;
/** Milliseconds from the import of a new project to the first update of its mirror. */
const AFTER_IMPORT = 30 * 60_000;

/** Creates a project. Throws LimitReached, ValidationFailed. */
export async function createProject(context: Context, input: NewProject): Promise<ProjectRow> {
  const actor = requireActor(context);
  return create(context, actor, actor.id, input);
}

/** Creates a project for another user; for administrators. Throws Forbidden, NotFound, LimitReached, ValidationFailed. */
export async function createProjectForUser(
  context: Context,
  userId: number,
  input: Omit<NewProject, 'namespaceId'>,
): Promise<ProjectRow> {
  const actor = requireAdmin(context);
  const user = await context.db.user.findUnique({ where: { id: userId }, select: { ghost: true } });
  if (!user || user.ghost) throw new NotFound('User');
  return create(context, actor, userId, input);
}

async function create(context: Context, actor: Actor, creatorId: number, input: NewProject): Promise<ProjectRow> {
  const name = (input.name ?? input.path ?? '').trim();
  const path = input.path ?? pathFrom(name);
  const home = await findHome(context, actor, creatorId, input.namespaceId ?? null);
  const settings = await currentSettings(context.db);
  if (input.importUrl?.trim() && !settings.importSources.includes('git')) {
    throw new Forbidden('Projects cannot be imported from URLs');
  }
  const texts = textErrors({ ...input, name, path });
  const picture = input.avatar ? await readPicture(input.avatar) : null;
  if (input.initializeWithReadme && input.importUrl) {
    texts.initialize_with_readme = ['cannot be given with import_url'];
  }
  const source = await checkedSource(context, input.importUrl ?? null).catch((error: unknown) => {
    throw error instanceof ValidationFailed ? new ValidationFailed(error.fields, { ...texts, ...error.fields }) : error;
  });
  const policy = await changedPolicy(context, null, input.containerExpirationPolicy);
  const mirror =
    source && input.pullMirror?.enabled
      ? await pullMirrorColumns(context, actor, null, { ...input.pullMirror, url: source })
      : null;
  try {
    const id = await context.db.$transaction(async (tx) => {
      const held = await holdHome(tx, home);
      if (!held) throw new ValidationFailed(NO_HOME);
      const bounds = { group: held.visibility, source: null };
      const wanted = settings.defaultProjectVisibility;
      const visibility = input.visibility ?? closestVisibility(actor, settings, wanted, bounds);
      const errors = { ...texts };
      const wrong = visibilityErrors(actor, settings, visibility, bounds);
      if (wrong.length > 0) errors.visibility_level = wrong;
      if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
      const projectId = await insertProject(tx, context, held, creatorId, {
        sharedRunnersEnabled: settings.sharedRunnersEnabled,
        ...input.switches,
        ...changedFeatures(ALL_FEATURES, input.switches ?? {}, input.featureAccess ?? {}),
        ...givenSettings(input),
        name,
        path,
        visibility,
        description: input.description ?? null,
        defaultBranch: input.defaultBranch || settings.defaultBranchName || null,
        tagList: tags(input.tagList ?? null),
        ...(input.buildTimeout == null ? {} : { buildTimeout: input.buildTimeout }),
        ciDefaultGitDepth: input.ciDefaultGitDepth === undefined ? NEW_DEPTH : input.ciDefaultGitDepth,
      });
      if (picture) await saveProjectAvatar(tx, projectId, picture);
      if (source) await scheduleImport(tx, context, projectId, source);
      // The import comes first.
      const dueAt = new Date(Date.now() + AFTER_IMPORT);
      if (policy) await writePolicy(tx, context, projectId, policy);
      if (mirror) await writePullMirror(tx, context, projectId, { ...mirror, dueAt });
      return projectId;
    });
    if (input.initializeWithReadme) await writeReadmeOrNothing(context, id, creatorId);
    return await findProject(context, id);
  } catch (error) {
    const taken = await takenIn(context.db, error, { namespaceId: home.id, name, path });
    throw taken ? new ValidationFailed(taken.fields).asExisting(taken.existing) : error;
  }
}

/** Commits the first file of a project; where that fails, as on a full disk, the project goes again. */
async function writeReadmeOrNothing(context: Context, id: number, creatorId: number): Promise<void> {
  try {
    await writeReadme(context, id, creatorId);
  } catch (error) {
    await context.db.$transaction((tx) => markDeleted(tx, context, id, creatorId));
    throw error;
  }
}

/** Commits the first file of a project, by its creator. */
async function writeReadme(context: Context, id: number, creatorId: number): Promise<void> {
  const { name, description, defaultBranch } = await findProject(context, id);
  const author = await findPusher(context.db, creatorId);
  await createFile(context, id, {
    path: 'README.md',
    branch: nextDefaultBranch({ defaultBranch }),
    content: description ? `# ${name}\n\n${description}\n` : `# ${name}\n`,
    message: 'Initial commit',
    authorName: author.name,
    authorEmail: author.email,
  });
}

/** The columns of a new project besides its namespace, creator and token. */
export type ProjectColumns = Pick<
  Columns['Project'],
  'name' | 'path' | 'visibility' | 'description' | 'defaultBranch' | 'tagList' | 'ciDefaultGitDepth'
> &
  Partial<Pick<Columns['Project'], Switch | 'buildTimeout'> & Features> &
  ReturnType<typeof givenSettings> & { forkedFromId?: number };

/** Inserts a project with all related records. Returns its ID. */
export async function insertProject(
  tx: Transaction,
  context: Pick<Context, 'secret' | 'repositories'> & ChangeContext & Auditing,
  home: HeldHome,
  creatorId: number,
  columns: ProjectColumns,
): Promise<number> {
  const runnersToken = newToken();
  const project = await tx.project.create({
    data: {
      ...columns,
      namespaceId: home.id,
      creatorId,
      repositoryStorage: await pickStorage(context),
      runnersToken: encrypt(runnersToken, context.secret),
      runnersTokenHash: tokenHash(runnersToken),
      ...(home.ownerId === null ? {} : { members: { create: { userId: creatorId, accessLevel: MASTER } } }),
    },
    select: { id: true },
  });
  await takePath(tx, `${home.fullPath}/${columns.path}`);
  const user = { id: creatorId };
  await recordChange(tx, context, { type: 'projectChanged', project, user, action: 'created' });
  const place = { projectId: project.id };
  await audit(tx, context, { action: 'project_created', place, target: { type: 'Project', id: project.id } });
  return project.id;
}

const NO_HOME: FieldErrors = { namespace: ['is not valid'] };

async function findHome(context: Context, actor: Actor, creatorId: number, ref: NamespaceRef | null): Promise<Home> {
  if (ref === null) return personalHome(context, creatorId);
  const home = await permittedHome(context, actor, await namespaceIdOf(context, ref));
  if (!home) throw new ValidationFailed(NO_HOME);
  return home;
}
