import { type Context, requireAdmin, requireApiScope } from '#src/access/permissions/actor.ts';
import { projectListed } from '#src/access/permissions/visibility.ts';
import {
  all,
  containing,
  type Db,
  hasTrigrams,
  Prisma,
  type Transaction,
  violates,
} from '#src/platform/database/db.ts';
import { BadRequest, type FieldErrors, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { type IncomingPicture, type Picture, readPicture } from '#src/platform/pictures.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';
import { order } from '#src/platform/records/order.ts';
import { readPage, readRow, readRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const [topic, project] = [alias('Topic', 't'), alias('Project', 'tp')];

computedFields('Topic', {
  visibleProjectsCount: ({ name }, { params }) =>
    params(
      ({ actor = null }) => sql`(SELECT count(*)::int FROM ${table(project)}
        WHERE lower_texts(${project.tagList}) @> ARRAY[lower(${name})] AND ${projectListed(actor, project)})`,
    ),
});

/** Which topics. */
export interface TopicFilter {
  /** Part of the name, ignoring case; the whole name if it is shorter than three characters. */
  search?: string | null | undefined;
  /** Only those that no project has. */
  withoutProjects?: boolean | null | undefined;
}

/** All topics, those of the most projects first; also for anonymous callers. */
export function listTopics<R>(
  context: Context,
  { search, withoutProjects }: TopicFilter,
  page: PageRequest,
  selection: Selection<'Topic', R>,
): Promise<Page<R>> {
  const { db, actor } = context;
  requireApiScope(actor);
  const text = search?.trim() ?? '';
  const isNamed = hasTrigrams(text)
    ? sql`${topic.name} ILIKE ${containing(text)}`
    : sql`lower(${topic.name}) = lower(${text})`;
  const isUsed = sql`EXISTS (SELECT 1 FROM projects up WHERE up.deleted_at IS NULL
    AND lower_texts(up.tag_list) @> ARRAY[lower(${topic.name})])`;
  const where = all([...(text === '' ? [] : [isNamed]), ...(withoutProjects ? [sql`NOT ${isUsed}`] : [])]);
  const sorted = order('Topic', ['projectsCount', 'id'], 'desc');
  return readPage(db, selection, { rows: topic, where, order: sorted, params: { actor } }, page);
}

/** The topic with that ID; also for anonymous callers. Throws NotFound. */
export async function findTopic<R>(context: Context, id: number, selection: Selection<'Topic', R>): Promise<R> {
  const { db, actor } = context;
  requireApiScope(actor);
  const found = await readRow(db, selection, { rows: topic, where: sql`${topic.id} = ${id}`, params: { actor } });
  if (!found) throw new NotFound('Topic');
  return found;
}

/** The topics with these IDs; also for anonymous callers. */
export async function findTopicsByIds<R>(
  { db, actor }: Context,
  ids: readonly number[],
  selection: Selection<'Topic', R>,
): Promise<R[]> {
  requireApiScope(actor);
  const where = sql`${topic.id} = ANY(${[...ids]}::int[])`;
  return readRows(db, selection, { rows: topic, where, params: { actor } });
}

export interface TopicValues {
  name?: string | null | undefined;
  title?: string | null | undefined;
  /** At most 1024 characters; null clears it. */
  description?: string | null | undefined;
  /** Replaces the picture; null removes it. */
  avatar?: IncomingPicture | null | undefined;
}

/** Creates a topic. For administrators. Throws Forbidden, ValidationFailed. */
export async function createTopic(context: Context, { avatar, ...values }: TopicValues): Promise<{ id: number }> {
  requireAdmin(context);
  const texts = checked({ ...values, name: values.name ?? '', title: values.title ?? '' });
  const picture = avatar ? await readPicture(avatar) : null;
  const { name = '', title = '', description = null } = texts;
  return unlessTaken(() =>
    context.db.$transaction(async (tx) => {
      const made = await tx.topic.create({ data: { name, title, description }, select: { id: true } });
      if (picture) await saveTopicAvatar(tx, made.id, picture);
      return made;
    }),
  );
}

/** Changes a topic: unset means unchanged. Projects that have it get its new name. For administrators. Throws as createTopic, NotFound. */
export async function updateTopic(
  context: Context,
  id: number,
  { avatar, ...values }: TopicValues,
): Promise<{ id: number }> {
  requireAdmin(context);
  const texts = checked(values);
  const picture = avatar && (await readPicture(avatar));
  return unlessTaken(() =>
    context.db.$transaction(async (tx) => {
      const before = await hold(tx, id);
      const { name = before.name } = texts;
      const isSame = name.toLowerCase() === before.name.toLowerCase();
      // The trigger counts the projects that get the new name.
      await tx.topic.update({ where: { id }, data: { ...texts, ...(isSame ? {} : { projectsCount: 0 }) } });
      if (name !== before.name) await rename(tx, before.name, name);
      if (picture !== undefined) await saveTopicAvatar(tx, id, picture);
      return { id };
    }),
  );
}

/** Deletes a topic, and takes it off the projects that have it. For administrators. Throws Forbidden, NotFound. */
export async function deleteTopic(context: Context, id: number): Promise<{ id: number }> {
  requireAdmin(context);
  await context.db.$transaction(async (tx) => {
    const { name } = await hold(tx, id);
    await rename(tx, name, null);
    await tx.topic.delete({ where: { id } });
  });
  return { id };
}

/**
 * Merges a topic into another one, whose name its projects get; it is gone then. For administrators. Throws Forbidden, NotFound, and
 * BadRequest for a topic and itself.
 */
export async function mergeTopics(context: Context, from: number, into: number): Promise<{ id: number }> {
  requireAdmin(context);
  if (from === into) throw new BadRequest('The source topic and the target topic are identical.', 'targetTopicId');
  await context.db.$transaction(async (tx) => {
    // In one order, whichever merges into the other.
    for (const id of [from, into].sort((a, b) => a - b)) await hold(tx, id);
    const [source, target] = [await hold(tx, from), await hold(tx, into)];
    await rename(tx, source.name, target.name);
    await tx.topic.delete({ where: { id: from } });
  });
  return { id: into };
}

async function hold(tx: Transaction, id: number): Promise<{ name: string }> {
  const [found] = await tx.$queryRaw<{ name: string }[]>`SELECT name FROM topics WHERE id = ${id} FOR NO KEY UPDATE`;
  if (!found) throw new NotFound('Topic');
  return found;
}

/** Renames a topic in the lists of projects, or removes it there; a project that has the new name already keeps it once. */
async function rename(tx: Transaction, from: string, to: string | null): Promise<void> {
  await tx.$executeRaw`
    UPDATE projects p SET tag_list = COALESCE((
      SELECT array_agg(kept.tag ORDER BY kept.place) FROM (
        SELECT DISTINCT ON (lower(tag)) tag, place FROM (
          SELECT CASE WHEN lower(l.tag) = lower(${from}) THEN ${to}::text ELSE l.tag END AS tag, l.place
          FROM unnest(p.tag_list) WITH ORDINALITY l (tag, place)) renamed
        WHERE tag IS NOT NULL ORDER BY lower(tag), place) kept), '{}')
    WHERE lower_texts(p.tag_list) @> ARRAY[lower(${from})]`;
}

async function unlessTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw violates(error, 'topics_name_lower')
      ? new ValidationFailed({ name: ['has already been taken'] }).asExisting()
      : error;
  }
}

const MAX_LENGTHS = { name: 255, title: 255, description: 1024 };

/** The given texts. Throws ValidationFailed. */
function checked({ name, title, description }: Omit<TopicValues, 'avatar'>) {
  const errors: FieldErrors = {};
  const texts = { name: name?.trim(), title: title?.trim(), description };
  for (const field of ['name', 'title', 'description'] as const) {
    const text = texts[field];
    if (text == null) continue;
    const longest = MAX_LENGTHS[field];
    if (field !== 'description' && text === '') errors[field] = ["can't be blank"];
    else if (text.length > longest) errors[field] = [`is too long (maximum is ${longest} characters)`];
  }
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  return {
    ...(texts.name === undefined ? {} : { name: texts.name }),
    ...(texts.title === undefined ? {} : { title: texts.title }),
    ...(description === undefined ? {} : { description }),
  };
}

/** Path of a topic's avatar, below the URL of the server. */
export function topicAvatarPath(id: number | ':id', key: string): string {
  return `/uploads/-/system/projects/topic/avatar/${id}/${key}`;
}

/** The avatar at a path from topicAvatarPath. Public, as topics are. Throws NotFound. */
export async function findTopicAvatar(db: Db, topicId: number, key: string): Promise<Omit<Picture, 'key'>> {
  const where = { topicId, topic: { avatarKey: key } };
  const found = await db.topicAvatar.findFirst({ where, select: { type: true, content: true } });
  if (!found) throw new NotFound('Avatar');
  return found;
}

async function saveTopicAvatar(tx: Transaction, topicId: number, picture: Picture | null): Promise<void> {
  await tx.topic.update({ where: { id: topicId }, data: { avatarKey: picture?.key ?? null } });
  if (!picture) return void (await tx.topicAvatar.deleteMany({ where: { topicId } }));
  const { type, content } = picture;
  await tx.topicAvatar.upsert({ where: { topicId }, create: { topicId, type, content }, update: { type, content } });
}
