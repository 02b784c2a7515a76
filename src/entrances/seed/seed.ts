import { applesScenes } from '#src/entrances/seed/content/apples.ts';
import { issueScenes } from '#src/entrances/seed/content/issues.ts';
import { mergeRequestScenes } from '#src/entrances/seed/content/merge_requests.ts';
import { otherScenes } from '#src/entrances/seed/content/others.ts';
import { PEOPLE, peopleScenes } from '#src/entrances/seed/content/people.ts';
import { pipelineScenes } from '#src/entrances/seed/content/pipelines.ts';
import { placeScenes } from '#src/entrances/seed/content/places.ts';
import { backdateRecords, type Owners } from '#src/entrances/seed/dates.ts';
import { requireRoomForSample } from '#src/entrances/seed/room.ts';
import type { SampleSecrets } from '#src/entrances/seed/secrets.ts';
import { Stage, type Stores } from '#src/entrances/seed/stage.ts';
import type { Db } from '#src/platform/database/db.ts';

export interface SeedOptions {
  secrets: SampleSecrets;
  /** Whether other people, groups and projects may exist already. */
  beside: boolean;
}

/** A person of the sample data with their credentials. */
export interface SamplePerson {
  username: string;
  password: string;
  privateToken: string;
}

/**
 * Fills a server with people, groups, projects and their histories, issues, pipelines and merge requests, as they might arise in
 * half a year. The result is the same each time: texts, dates and commit IDs; in an empty database the IDs too. Throws Error,
 * before writing anything, if the sample data cannot be written.
 */
export async function seed(stores: Stores, { secrets, beside }: SeedOptions): Promise<SamplePerson[]> {
  if (secrets.known && beside) throw new Error('Known passwords and tokens are only allowed on empty servers');
  await requireRoomForSample(stores.db, { beside });
  // With known secrets everything is the same each time, so the administrator joined on the first day as well.
  const root = secrets.known ? await administrators(stores.db) : { users: [], namespaces: [] };
  const topicsBefore = (await stores.db.topic.findMany({ select: { id: true } })).map(({ id }) => id);
  const stage = new Stage(stores, secrets);
  await stage.play([
    ...peopleScenes,
    ...placeScenes,
    ...applesScenes,
    ...otherScenes,
    ...issueScenes,
    ...pipelineScenes,
    ...mergeRequestScenes,
  ]);
  const topics = await stores.db.topic.findMany({ where: { id: { notIn: topicsBefore } }, select: { id: true } });
  await backdateRecords(stores.db, stage.clock.marks, {
    users: [...stage.users.values(), ...root.users],
    namespaces: [...stage.namespaces.values(), ...root.namespaces],
    projects: [...stage.projects.values()],
    topics: topics.map(({ id }) => id),
  });
  return PEOPLE.map(({ username }) => {
    return { username, password: secrets.password(username), privateToken: secrets.privateToken(username) };
  });
}

async function administrators(db: Db): Promise<Pick<Owners, 'users' | 'namespaces'>> {
  const found = await db.namespace.findMany({ where: { kind: 'user' }, select: { id: true, ownerId: true } });
  return { users: found.flatMap(({ ownerId }) => ownerId ?? []), namespaces: found.map(({ id }) => id) };
}
