// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

it('tells what is in projects and groups to those only who can delete them, in one statement for many', async () => {
  const [owner, master] = [await world.user(), await world.user()];
  const group = await world.group({ owner, visibility: 'public' });
  const inside = await world.group({ owner, parentId: group.id, visibility: 'public' });
  const project = await world.project({ owner, namespaceId: inside.id, visibility: 'public' });
  const decoy = await world.project({ owner, visibility: 'public' });
  await world.member(project, master, 'master');
  for (const title of ['One', 'Two']) await world.issue(project, owner, { title });
  await world.issue(decoy, owner, { title: 'Elsewhere' });
  const query = `query ($project: ProjectRef!, $group: GroupRef!) {
    project(ref: $project) { viewerCanDelete viewerCanManageWebhooks contents { issues mergeRequests members forks } }
    group(ref: $group) { viewerCanTransfer contents { projects subgroups issues members } }
  }`;
  const seen = async (who?: typeof owner) =>
    (await world.graphql(query, { project: project.fullPath, group: group.fullPath }, who)).body.data;
  expect(await seen(owner)).toEqual({
    project: {
      viewerCanDelete: true,
      viewerCanManageWebhooks: true,
      contents: { issues: 2, mergeRequests: 0, members: 1, forks: 0 },
    },
    group: { viewerCanTransfer: true, contents: { projects: 1, subgroups: 1, issues: 2, members: 1 } },
  });
  expect(await seen(master)).toMatchObject({
    project: { viewerCanManageWebhooks: true, contents: null },
    group: { viewerCanTransfer: false, contents: null },
  });
  expect(await seen()).toMatchObject({
    project: { contents: null },
    group: { viewerCanTransfer: false, contents: null },
  });
  const list = (first: number) => `{ projects(first: ${first}) { nodes { contents { issues } } } }`;
  const count = async (first: number) => (await world.statements(() => world.graphql(list(first), {}, owner))).length;
  await count(1);
  expect(await count(2)).toBe(await count(1));
});

it('deletes a project or group only under the path that was typed, if one was', async () => {
  const owner = await world.user();
  const group = await world.group({ owner });
  const project = await world.project({ owner, namespaceId: group.id });
  const remove = (kind: 'Project' | 'Group', ref: string, confirmation?: string) =>
    world.graphql(
      `mutation ($ref: ${kind}Ref!, $confirmation: String) { done: delete${kind}(input: { ${kind.toLowerCase()}: $ref, confirmation: $confirmation }) { fullPath } }`,
      { ref, confirmation },
      owner,
    );
  const refused = await remove('Project', project.fullPath, project.path);
  expect(refused.body.errors[0].extensions).toMatchObject({
    code: 'VALIDATION_FAILED',
    fields: { 'input.confirmation': [`is not ${project.fullPath}`] },
  });
  expect((await remove('Group', group.fullPath, 'else')).body.errors[0].extensions.code).toBe('VALIDATION_FAILED');
  expect((await remove('Project', project.fullPath, project.fullPath)).body.data.done.fullPath).toBe(project.fullPath);
  expect((await remove('Group', group.fullPath)).body.data.done.fullPath).toBe(group.fullPath);
});
