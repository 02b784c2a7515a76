// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

const QUERY = `query ($project: ProjectRef!) {
  project(ref: $project) { issue(iid: 1) {
    viewerCanComment viewerCanCommentInternally notes(activity: ONLY_COMMENTS) { nodes { body viewerCanUpdate } }
  } }
}`;

it('tells who can comment on an issue, and change its notes', async () => {
  const [owner, reporter, guest, stranger] = [
    ...[await world.user(), await world.user()],
    ...[await world.user(), await world.user()],
  ] as const;
  const project = await world.project({ owner, visibility: 'public' });
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  await world.issue(project, owner);
  const notes = `/projects/${project.id}/issues/1/notes`;
  await world.api(guest).post(notes, { body: 'From a guest' });
  await world.api(reporter).post(notes, { body: 'From a reporter' });
  const asked = async (who: typeof owner) => {
    const { body } = await world.graphql(QUERY, { project: project.fullPath }, who);
    const { viewerCanComment, viewerCanCommentInternally, notes } = body.data.project.issue;
    const changeable = notes.nodes.map((note: { viewerCanUpdate: boolean }) => note.viewerCanUpdate);
    return [viewerCanComment, viewerCanCommentInternally, ...changeable];
  };
  expect(await asked(owner)).toEqual([true, true, true, true]);
  expect(await asked(reporter)).toEqual([true, true, false, true]);
  expect(await asked(guest)).toEqual([true, false, true, false]);
  expect(await asked(stranger)).toEqual([true, false, false, false]);
  await world.api(owner).put(`/projects/${project.id}/issues/1`, { discussion_locked: true });
  expect(await asked(guest)).toEqual([true, false, true, false]);
  expect(await asked(stranger)).toEqual([false, false, false, false]);
});

it('assigns an issue by usernames, of which IDs win', async () => {
  const [owner, other] = [await world.user(), await world.user()];
  const project = await world.project({ owner });
  await world.member(project, other, 'guest');
  await world.issue(project, owner);
  const update = async (values: Record<string, unknown>) => {
    const input = { project: project.fullPath, iid: 1, ...values };
    const text = `mutation ($input: UpdateIssueInput!) { updateIssue(input: $input) { issue { assignees { username } } } }`;
    const { body } = await world.graphql(text, { input }, owner);
    return (
      body.errors?.[0].extensions.fields ??
      body.data.updateIssue.issue.assignees.map(({ username }: { username: string }) => username)
    );
  };
  expect(await update({ assigneeUsernames: [other.username.toUpperCase(), owner.username] })).toEqual([
    ...[other.username, owner.username],
  ]);
  expect(await update({ assigneeUsernames: [other.username, 'nobody-here'] })).toEqual({
    'input.assigneeUsernames': ['has users who cannot read the project'],
  });
  const outsider = await world.user();
  expect(await update({ assigneeUsernames: [outsider.username] })).toEqual({
    'input.assigneeUsernames': ['has users who cannot read the project'],
  });
  expect(await update({ assigneeUsernames: [other.username], assigneeIds: [String(owner.id)] })).toEqual([
    owner.username,
  ]);
  expect(await update({ assigneeUsernames: [] })).toEqual([]);
});
