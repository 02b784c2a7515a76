import { beforeAll, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/global_id.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { ContainerClient } from '../support/container_client.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

/* Mutations of a record name it by its global ID alone; a place beside it must be the one that it is in. */

const world = await startWorld();
const [owner, stranger] = [await world.user(), await world.user()];
let project: ProjectRow;
let other: ProjectRow;
let mergeRequest: { iid: number };

interface Case {
  mutation: string;
  input?: object;
  /** Something that stands beside the ID, in place of the project. */
  wrong?: object;
  make: () => Promise<{ id: string; isThere: () => Promise<boolean> }>;
}

const api = world.api(owner);
const run = async (mutation: string, input: object, who: TestUser = owner) => {
  const type = `${mutation.slice(0, 1).toUpperCase()}${mutation.slice(1)}Input`;
  const text = `mutation($input: ${type}!) { ${mutation}(input: $input) { __typename } }`;
  return (await world.graphql(text, { input }, who)).body;
};

async function publish(version: string): Promise<number> {
  const path = `/api/v4/projects/${project.id}/packages/generic/app/${version}/app.txt`;
  const headers = { 'Content-Type': 'application/octet-stream', 'PRIVATE-TOKEN': owner.token };
  await world.send('PUT', path, { headers, body: Buffer.from(version) });
  return (await world.db.package.findFirstOrThrow({ where: { projectId: project.id, version } })).id;
}

async function pushed(tag: string): Promise<number> {
  const name = project.fullPath.toLowerCase();
  expect(await new ContainerClient(world.url, owner).pushImage(name, tag)).toBe(201);
  return (await world.db.containerRepository.findFirstOrThrow({ where: { projectId: project.id } })).id;
}

async function comment() {
  const { body } = await api.post(`/projects/${project.id}/repository/commits/main/comments`, { note: 'seen' });
  expect(body.note).toBe('seen');
  const where = { projectId: project.id };
  return (await world.db.commitComment.findFirstOrThrow({ where, orderBy: { id: 'desc' } })).id;
}

async function link(name: string) {
  const { body } = await api.post(`/projects/${project.id}/releases/v1/assets/links`, {
    ...{ name, url: `https://example.com/${name}` },
  });
  return body.id as number;
}

async function draft() {
  const { body } = await api.post(`/projects/${project.id}/merge_requests/${mergeRequest.iid}/draft_notes`, {
    note: 'thinking',
  });
  return body.id as number;
}

const CASES: readonly Case[] = [
  {
    mutation: 'deletePackage',
    make: async () => {
      const id = await publish('1.0');
      return {
        id: toGlobalId('Package', id),
        isThere: async () => (await world.db.package.count({ where: { id } })) === 1,
      };
    },
  },
  {
    mutation: 'deletePackageFile',
    make: async () => {
      const packageId = await publish('2.0');
      const { id } = await world.db.packageFile.findFirstOrThrow({ where: { packageId } });
      return {
        id: toGlobalId('PackageFile', id),
        isThere: async () => (await world.db.packageFile.count({ where: { id } })) === 1,
      };
    },
  },
  {
    mutation: 'updateCommitComment',
    input: { note: 'seen twice' },
    wrong: { sha: 'topic' },
    make: async () => {
      const id = await comment();
      return {
        id: toGlobalId('CommitComment', id),
        isThere: async () => (await world.db.commitComment.count({ where: { id, note: 'seen' } })) === 1,
      };
    },
  },
  {
    mutation: 'deleteCommitComment',
    wrong: { sha: 'topic' },
    make: async () => {
      const id = await comment();
      return {
        id: toGlobalId('CommitComment', id),
        isThere: async () => (await world.db.commitComment.count({ where: { id } })) === 1,
      };
    },
  },
  {
    mutation: 'updateReleaseLink',
    input: { name: 'renamed' },
    wrong: { tag: 'v2' },
    make: async () => {
      const id = await link('one');
      return {
        id: toGlobalId('ReleaseLink', id),
        isThere: async () => (await world.db.releaseLink.count({ where: { id, name: 'one' } })) === 1,
      };
    },
  },
  {
    mutation: 'deleteReleaseLink',
    wrong: { tag: 'v2' },
    make: async () => {
      const id = await link('two');
      return {
        id: toGlobalId('ReleaseLink', id),
        isThere: async () => (await world.db.releaseLink.count({ where: { id } })) === 1,
      };
    },
  },
  {
    mutation: 'updateDraftNote',
    input: { body: 'thought' },
    wrong: { iid: 999 },
    make: async () => {
      const id = await draft();
      return {
        id: toGlobalId('DraftNote', id),
        isThere: async () => (await world.db.draftNote.count({ where: { id, body: 'thinking' } })) === 1,
      };
    },
  },
  {
    mutation: 'deleteDraftNote',
    wrong: { iid: 999 },
    make: async () => {
      const id = await draft();
      return {
        id: toGlobalId('DraftNote', id),
        isThere: async () => (await world.db.draftNote.count({ where: { id } })) === 1,
      };
    },
  },
  {
    mutation: 'promoteMilestone',
    make: async () => {
      const { body } = await api.post(`/projects/${project.id}/milestones`, { title: 'everywhere' });
      const where = { id: body.id, projectId: project.id };
      return {
        id: toGlobalId('Milestone', body.id),
        isThere: async () => (await world.db.milestone.count({ where })) === 1,
      };
    },
  },
  {
    mutation: 'deleteContainerRepository',
    make: async () => {
      const id = await pushed('one');
      return {
        id: toGlobalId('ContainerRepository', id),
        isThere: async () => (await world.db.containerRepository.count({ where: { id } })) === 1,
      };
    },
  },
];

beforeAll(async () => {
  const group = await world.group({ owner });
  project = await world.project({ owner, namespaceId: group.id, visibility: 'private' });
  other = await world.project({ owner, namespaceId: group.id, visibility: 'private' });
  const at = `/projects/${project.id}`;
  const commit = (branch: string, name: string, start?: string) =>
    api.post(`${at}/repository/commits`, {
      ...{ branch, commit_message: 'Add files', ...(start && { start_branch: start }) },
      actions: [{ action: 'create', file_path: name, content: `${name}\n` }],
    });
  await commit('main', 'a.txt');
  await commit('topic', 'b.txt', 'main');
  for (const tag of ['v1', 'v2']) await api.post(`${at}/releases`, { tag_name: tag, ref: 'main', name: tag });
  const body = { source_branch: 'topic', target_branch: 'main', title: 'Review' };
  mergeRequest = (await api.post(`${at}/merge_requests`, body)).body;
});

describe('A global ID alone is enough for', () => {
  it.each(CASES)('$mutation', async ({ mutation, input, wrong, make }) => {
    const { id, isThere } = await make();
    expect(await isThere()).toBe(true);
    const given = { id, ...input };
    for (const beside of [{ project: other.fullPath }, ...(wrong ? [wrong] : [])]) {
      const { errors } = await run(mutation, { ...given, ...beside });
      expect(errors?.[0].extensions.code, JSON.stringify(beside)).toBe('NOT_FOUND');
    }
    const hidden = await run(mutation, given, stranger);
    const none = await run(mutation, { ...given, id: '2147483646' }, stranger);
    expect(hidden.errors[0].extensions.code).toBe('NOT_FOUND');
    expect(hidden.errors[0].message).toBe(none.errors[0].message);
    expect(await isThere()).toBe(true);
    expect((await run(mutation, given)).errors).toBeUndefined();
    expect(await isThere()).toBe(false);
  });

  it('deleteContainerTag and deleteContainerTags', LONG, async () => {
    const id = await pushed('one');
    const repositoryId = toGlobalId('ContainerRepository', id);
    const count = () => world.db.containerTag.count({ where: { repositoryId: id } });
    const filter = { repositoryId, nameRegexDelete: '.*' };
    for (const [mutation, input] of [
      ['deleteContainerTag', { repositoryId, name: 'one' }],
      ['deleteContainerTags', filter],
    ] as const) {
      const elsewhere = await run(mutation, { ...input, project: other.fullPath });
      expect(elsewhere.errors[0].extensions.code).toBe('NOT_FOUND');
      expect((await run(mutation, input, stranger)).errors[0].extensions.code).toBe('NOT_FOUND');
    }
    expect(await count()).toBe(1);
    expect((await run('deleteContainerTag', { repositoryId, name: 'one' })).errors).toBeUndefined();
    expect(await count()).toBe(0);
    await pushed('two');
    expect((await run('deleteContainerTags', filter)).errors).toBeUndefined();
    await world.idle();
    expect(await count()).toBe(0);
  });

  it('the payload of a deletion, which has the project', async () => {
    const id = toGlobalId('Package', await publish('3.0'));
    const text = 'mutation($input: DeletePackageInput!) { deletePackage(input: $input) { project { fullPath } } }';
    const { body } = await world.graphql(text, { input: { id } }, owner);
    expect(body.data.deletePackage.project).toEqual({ fullPath: project.fullPath });
  });
});
