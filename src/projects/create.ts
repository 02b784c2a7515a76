import { authorize, MASTER } from '#src/access/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/actor.ts';
import { violates } from '#src/db.ts';
import { DomainError, type FieldErrors, LimitReached, NotFound, ValidationFailed } from '#src/errors.ts';
import { recordEvent } from '#src/events/record.ts';
import { findGroup } from '#src/groups/find.ts';
import { findProject, type ProjectRow } from '#src/projects/find.ts';
import { encrypt, newToken } from '#src/secrets.ts';

export interface NewProject {
  /** One of name and path may be absent: each is made from the other. */
  name?: string | null | undefined;
  path?: string | null | undefined;
  description?: string | null | undefined;
  /** The personal namespace of the actor when absent. */
  namespaceId?: number | null | undefined;
  /** `private` when absent (behaviour.md 9). */
  visibility?: ProjectRow['visibility'] | null | undefined;
  switches?: Partial<Pick<ProjectRow, Switch>>;
}

export const SWITCHES = [
  'issuesEnabled',
  'mergeRequestsEnabled',
  'wikiEnabled',
  'jobsEnabled',
  'snippetsEnabled',
  'containerRegistryEnabled',
  'sharedRunnersEnabled',
  'lfsEnabled',
  'publicJobs',
  'requestAccessEnabled',
  'onlyAllowMergeIfPipelineSucceeds',
  'onlyAllowMergeIfAllDiscussionsAreResolved',
] as const;
export type Switch = (typeof SWITCHES)[number];

/** Creates a project. Throws LimitReached, ValidationFailed, Forbidden. */
export async function createProject(context: Context, input: NewProject): Promise<ProjectRow> {
  const actor = requireActor(context);
  const path = input.path ?? pathFrom(input.name ?? '');
  const name = input.name ?? input.path ?? '';
  const home = await findHome(context, actor, input.namespaceId ?? null);
  if (home.personal) await checkLimit(context, actor);
  const visibility = input.visibility ?? 'private';
  const errors = projectErrors(name, path);
  if (home.visibility && LEVELS.indexOf(visibility) > LEVELS.indexOf(home.visibility)) {
    errors.visibility_level = [`${visibility} is not allowed in a ${home.visibility} group.`];
  }
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  try {
    const id = await context.db.$transaction(async (tx) => {
      const project = await tx.project.create({
        data: {
          ...input.switches,
          name,
          path,
          visibility,
          description: input.description ?? null,
          namespaceId: home.id,
          creatorId: actor.id,
          runnersToken: encrypt(newToken(), context.secret),
          ...(home.personal ? { members: { create: { userId: actor.id, accessLevel: MASTER } } } : {}),
        },
      });
      await recordEvent(tx, { projectId: project.id, authorId: actor.id, action: 'created' });
      return project.id;
    });
    return await findProject(context, id);
  } catch (error) {
    if (!violates(error)) throw error;
    const field = violates(error, 'projects_name_lower') ? 'name' : 'path';
    throw new ValidationFailed({ [field]: ['has already been taken'] });
  }
}

const LEVELS = ['private', 'internal', 'public'];

async function findHome(context: Context, actor: Actor, namespaceId: number | null) {
  const where = namespaceId === null ? { ownerId: actor.id } : { id: namespaceId };
  const namespace = await context.db.namespace.findUnique({ where });
  if (namespace?.kind === 'user' && (namespace.ownerId === actor.id || actor.admin)) {
    return { id: namespace.id, personal: true, visibility: null };
  }
  try {
    if (namespace?.kind !== 'group') throw new NotFound('Namespace');
    const group = await findGroup(context, namespace.id);
    authorize(actor, 'create_project_in_group', group);
    return { id: group.id, personal: false, visibility: group.visibility };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new ValidationFailed({ namespace: ['is not valid'] });
  }
}

async function checkLimit(context: Context, actor: Actor): Promise<void> {
  const limit = actor.projectsLimit;
  const count = await context.db.project.count({ where: { namespace: { ownerId: actor.id } } });
  if (count < limit) return;
  throw new LimitReached(
    limit === 0
      ? 'Personal project creation is not allowed. Please contact your administrator with questions'
      : `Your project limit is ${limit} projects! Please contact your administrator to increase it`,
  );
}

/** "My Project!" becomes "my-project". */
function pathFrom(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
}

/** A letter, digit, emoji or `_`, then also dots, dashes and spaces; emoji may be joined and varied. */
const NAME =
  /^(?:[\p{L}\p{N}_]|\p{Extended_Pictographic})(?:[\p{L}\p{N}\p{M}_.\- ]|\p{Extended_Pictographic}|\u200d|\ufe0f)*$/u;

function projectErrors(name: string, path: string): FieldErrors {
  const errors: FieldErrors = {};
  if (name.trim() === '') errors.name = ["can't be blank"];
  else if (name.length > 255) errors.name = ['is too long (maximum is 255 characters)'];
  else if (!NAME.test(name)) {
    errors.name = [
      "can contain only letters, digits, emojis, '_', '.', dash, space. It must start with letter, digit, emoji or '_'.",
    ];
  }
  if (path === '') errors.path = ["can't be blank"];
  else if (path.length > 255) errors.path = ['is too long (maximum is 255 characters)'];
  else if (!/^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/.test(path) || /\.(git|atom)$/i.test(path) || /^\.+$/.test(path)) {
    errors.path = [
      "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'",
    ];
  }
  return errors;
}
