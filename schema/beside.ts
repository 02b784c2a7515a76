import type { GraphQLResolveInfo } from 'graphql';
import { AuthorizedApplication, OAuthApplication } from '#schema/applications/types.ts';
import { AuditEvent, AuditEventDetails } from '#schema/audit_events/types.ts';
import { AwardEmoji } from '#schema/awards/types.ts';
import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { DeployKey } from '#schema/deploy_keys/types.ts';
import { Discussion } from '#schema/discussions/types.ts';
import { DraftNote } from '#schema/draft_notes/types.ts';
import { Event } from '#schema/events/types.ts';
import { Group } from '#schema/groups/types.ts';
import { Webhook } from '#schema/hooks/types.ts';
import { Awardable, Issuable, Noteable, ProjectOrGroup, WebPage } from '#schema/interfaces.ts';
import { Issue } from '#schema/issues/types.ts';
import { ArtifactFile, Job } from '#schema/jobs/types.ts';
import { DeployKeyProject } from '#schema/keys/by_fingerprint.ts';
import { Member } from '#schema/members/types.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { MergeRequestVersion } from '#schema/merge_requests/versions.ts';
import { PullMirror } from '#schema/mirrors/pull.ts';
import { Namespace, PersonalNamespace } from '#schema/namespaces/types.ts';
import { end } from '#schema/node/end.ts';
import { type Found, recordAt } from '#schema/node/finders.ts';
import { Node } from '#schema/node/types.ts';
import { Note } from '#schema/notes/types.ts';
import { Package, PackageFile } from '#schema/packages/types.ts';
import { TestCase } from '#schema/pipelines/test_reports.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { Project, ProjectShare } from '#schema/projects/types.ts';
import { ProtectionLevel } from '#schema/protections/types.ts';
import { LabelEvent, MilestoneEvent, StateEvent } from '#schema/resource_events/types.ts';
import { UserMembership } from '#schema/users/associations.ts';
import { UserPreferences } from '#schema/users/preferences.ts';
import { User } from '#schema/users/types.ts';
import { pagePath, refPath, snippetPath } from '#src/domain/namespaces/address.ts';
import { pushSummary } from '#src/domain/repository/push_data.ts';
import { mayChangeNote } from '#src/domain/tracking/notes/change.ts';

const UNSEEN = 'null if it is gone, and if the caller cannot see it.';

/** What a note or a thread is on. */
interface OnSubject {
  subjectType: string;
  subjectId: number;
  projectId: number | null;
  commitSha: string | null;
}

const ON_SUBJECT = { subjectType: true, subjectId: true, projectId: true, commitSha: true } as const;

async function subjectOf(note: OnSubject, _args: object, context: GraphQLContext, info: GraphQLResolveInfo) {
  const { subjectType, subjectId, projectId, commitSha } = note;
  if (subjectType !== 'Commit') return (await recordAt(context, info, subjectType, subjectId)) as Found | null;
  if (projectId === null || commitSha === null) return null;
  const commit = await context.loaders.commit.load({ projectId, sha: commitSha });
  return commit && ({ ...commit, __typename: 'Commit' } as unknown as Found);
}

builder.prismaObjectFields(Note, (t) => ({
  subject: t.field({
    type: Noteable,
    nullable: true,
    description: `The issue, merge request, snippet or commit that the note is on; ${UNSEEN}`,
    select: ON_SUBJECT,
    resolve: subjectOf,
  }),
  project: t.field({
    type: Project,
    nullable: true,
    description: 'The project of what the note is on; null for what is in no project.',
    select: { projectId: true },
    resolve: end(({ projectId }) => ['Project', projectId]),
  }),
  discussion: t.field({
    type: Discussion,
    nullable: true,
    description: 'The thread that the note is in; null on commits, whose threads are in `Commit.discussions`.',
    select: { id: true, discussionId: true, subjectType: true },
    resolve: end(({ id, discussionId, subjectType }) =>
      subjectType === 'Commit' ? null : ['Discussion', discussionId ?? id],
    ),
  }),
  webUrl: t.string({
    description: 'URL of the note on the page of what it is on.',
    select: { id: true, ...ON_SUBJECT, noteableIid: true },
    resolve: async ({ id, subjectType, subjectId, projectId, noteableIid, commitSha }, _args, context) => {
      if (projectId === null) return `${context.baseUrl}${snippetPath(null, subjectId)}#note_${id}`;
      const { fullPath } = await requireProjectBase(context, projectId);
      const resource = RESOURCES[subjectType] ?? 'commit';
      const name = subjectType === 'Commit' ? (commitSha ?? '') : (noteableIid ?? subjectId);
      return context.baseUrl + pagePath(fullPath, resource, name, id);
    },
  }),
  viewerCanDelete: t.boolean({
    description:
      'Whether the caller can delete the note: its author and masters of the project may. False for system notes and comments on commits.',
    select: { authorId: true, system: true, subjectType: true, projectId: true },
    resolve: async (note, _args, context) => {
      if (context.actor === null || note.subjectType === 'Commit' || note.projectId === null) return false;
      return mayChangeNote(context.actor, await requireProjectBase(context, note.projectId), note);
    },
  }),
}));

const RESOURCES: Readonly<Record<string, 'issues' | 'merge_requests' | 'milestones' | 'snippets'>> = {
  Issue: 'issues',
  MergeRequest: 'merge_requests',
  Milestone: 'milestones',
  Snippet: 'snippets',
};

builder.prismaObjectFields(Discussion, (t) => ({
  subject: t.field({
    type: Noteable,
    nullable: true,
    description: `The issue, merge request, snippet or commit that the thread is on; ${UNSEEN}`,
    select: ON_SUBJECT,
    resolve: subjectOf,
  }),
}));

builder.prismaObjectFields(AwardEmoji, (t) => ({
  awardable: t.field({
    type: Awardable,
    nullable: true,
    description: `The issue, merge request, snippet or note that was given the emoji; ${UNSEEN}`,
    select: { subjectType: true, subjectId: true },
    resolve: end(({ subjectType, subjectId }) => [subjectType, subjectId]),
  }),
}));

for (const type of [LabelEvent, MilestoneEvent, StateEvent]) {
  builder.prismaObjectFields(type as typeof LabelEvent, (t) => ({
    subject: t.field({
      type: Issuable,
      nullable: true,
      description: `The issue or merge request that was changed; ${UNSEEN}`,
      select: { issueId: true, mergeRequestId: true },
      resolve: end(({ issueId, mergeRequestId }) =>
        issueId === null ? ['MergeRequest', mergeRequestId] : ['Issue', issueId],
      ),
    }),
  }));
}

builder.prismaObjectFields(StateEvent, (t) => ({
  sourceMergeRequest: t.field({
    type: MergeRequest,
    nullable: true,
    description:
      'The merge request that closed the issue; null if it was not closed by one, or if the caller cannot see it.',
    select: { sourceMergeRequestId: true },
    resolve: end(({ sourceMergeRequestId }) => ['MergeRequest', sourceMergeRequestId]),
  }),
}));

builder.objectFields(Event, (t) => ({
  target: t.field({
    type: WebPage,
    nullable: true,
    description:
      'The issue, merge request, milestone or note that the event is about; null for pushes and memberships, if it is gone, and if the caller cannot see it.',
    resolve: (event, _args, context, info) => {
      if (event.note) return { ...(event.note as Found), __typename: 'Note' };
      return event.targetType === null ? null : recordAt(context, info, event.targetType, event.targetId);
    },
  }),
  webUrl: t.field({
    type: 'URL',
    nullable: true,
    description:
      'URL of the page of what the event is about, or of the project; null if the caller cannot see the project.',
    resolve: async (event, _args, { baseUrl, loaders }) => {
      const project = await loaders.project.load(event.projectId);
      return project && baseUrl + eventPath(event, project.fullPath);
    },
  }),
}));

/** The path of the page of what an event is about. */
function eventPath(event: typeof Event.$inferType, fullPath: string): string {
  const push = pushSummary(event.data);
  if (push?.commitTo && push.refType === 'tag') return refPath(fullPath, 'tags', push.ref);
  if (push?.commitTo) return refPath(fullPath, 'tree', push.ref);
  const resource = RESOURCES[event.targetType ?? ''];
  const isThere = resource !== undefined && event.targetIid !== null && event.action !== 'destroyed';
  return isThere ? pagePath(fullPath, resource, event.targetIid ?? 0) : `/${fullPath}`;
}

builder.prismaObjectFields(Member, (t) => ({
  source: t.field({
    type: ProjectOrGroup,
    nullable: true,
    description: 'The project or group that the membership is of; null if the caller cannot see it.',
    select: { projectId: true, namespaceId: true },
    resolve: end(({ projectId, namespaceId }) =>
      projectId === null ? ['Group', namespaceId] : ['Project', projectId],
    ),
  }),
}));

builder.objectFields(UserMembership, (t) => ({
  source: t.field({
    type: ProjectOrGroup,
    nullable: true,
    description: 'The project or group that the membership is of.',
    resolve: end(({ sourceType, sourceId }) => [sourceType === 'Project' ? 'Project' : 'Group', sourceId]),
  }),
}));

builder.prismaObjectFields(Issue, (t) => ({
  movedTo: t.field({
    type: Issue,
    nullable: true,
    description:
      'The issue that this one became when it was moved; null if it was not, or if the caller cannot see it.',
    select: { movedToId: true },
    resolve: end(({ movedToId }) => ['Issue', movedToId]),
  }),
}));

builder.prismaObjectFields(DraftNote, (t) => ({
  mergeRequest: t.field({
    type: MergeRequest,
    nullable: true,
    description: 'The merge request that the note is to be on; null if the caller can no longer see it.',
    select: { mergeRequestId: true },
    resolve: end(({ mergeRequestId }) => ['MergeRequest', mergeRequestId]),
  }),
  discussion: t.field({
    type: Discussion,
    nullable: true,
    description: 'The thread that it answers in; null for a note that begins a thread.',
    select: { discussionId: true },
    resolve: end(({ discussionId }) => ['Discussion', discussionId]),
  }),
}));

builder.prismaObjectFields(MergeRequestVersion, (t) => ({
  mergeRequest: t.field({
    type: MergeRequest,
    nullable: true,
    description: 'The merge request whose source branch moved.',
    select: { mergeRequestId: true },
    resolve: end(({ mergeRequestId }) => ['MergeRequest', mergeRequestId]),
  }),
}));

builder.objectFields(ProtectionLevel, (t) => ({
  deployKey: t.field({
    type: DeployKey,
    nullable: true,
    description:
      'The deploy key that may push or create tags; null for an access level, and if the caller cannot see the key.',
    resolve: end(({ deployKeyId }) => ['DeployKey', deployKeyId]),
  }),
}));

builder.prismaObjectFields(Webhook, (t) => ({
  project: t.field({
    type: Project,
    nullable: true,
    description: 'The project of whose events it tells; null for webhooks of groups and of the server.',
    select: { projectId: true },
    resolve: end(({ projectId }) => ['Project', projectId]),
  }),
  group: t.field({
    type: Group,
    nullable: true,
    description: 'The group of whose events it tells; null for webhooks of projects and of the server.',
    select: { namespaceId: true },
    resolve: end(({ namespaceId }) => ['Group', namespaceId]),
  }),
}));

builder.objectFields(DeployKeyProject, (t) => ({
  deployKey: t.field({
    type: DeployKey,
    nullable: true,
    description: 'The deploy key that opens the project.',
    resolve: end(({ deployKeyId }) => ['DeployKey', deployKeyId]),
  }),
  project: t.field({
    type: Project,
    nullable: true,
    description: 'The project that the deploy key opens.',
    resolve: end(({ projectId }) => ['Project', projectId]),
  }),
}));

builder.objectFields(ArtifactFile, (t) => ({
  project: t.field({
    type: Project,
    nullable: true,
    description: 'The project that the job belongs to.',
    resolve: end(({ projectId }) => ['Project', projectId]),
  }),
  job: t.field({
    type: Job,
    nullable: true,
    description: 'The job that made the file.',
    resolve: end(({ databaseId }) => ['Job', databaseId]),
  }),
}));

builder.objectFields(TestCase, (t) => ({
  job: t.field({
    type: Job,
    nullable: true,
    description: 'The job that ran the test; null if the caller cannot see it.',
    resolve: end(({ jobId }) => ['Job', jobId]),
  }),
}));

builder.objectFields(ProjectShare, (t) => ({
  project: t.field({
    type: Project,
    nullable: true,
    description: 'The project that is shared with the group.',
    resolve: end(({ projectId }) => ['Project', projectId]),
  }),
}));

builder.objectFields(PullMirror, (t) => ({
  user: t.field({
    type: User,
    nullable: true,
    description: 'The user whose rights updates have, and whose pushes they are; null for one who is gone.',
    resolve: end(({ userId }) => ['User', userId]),
  }),
}));

builder.prismaObjectFields(Project, (t) => ({
  pullMirrorUser: t.field({
    type: User,
    nullable: true,
    description: 'The user whose rights updates from the mirrored repository have; null without one.',
    select: { pullMirror: { select: { userId: true } } },
    resolve: end(({ pullMirror }) => ['User', pullMirror?.userId]),
  }),
}));

builder.objectFields(UserPreferences, (t) => ({
  user: t.field({
    type: User,
    nullable: true,
    description: 'The user whose preferences these are.',
    resolve: end(({ id }) => ['User', id]),
  }),
}));

builder.objectFields(AuthorizedApplication, (t) => ({
  application: t.field({
    type: OAuthApplication,
    nullable: true,
    description: 'The application; null without one, and for those who did not register it and are no administrators.',
    resolve: end(({ applicationId }) => ['OAuthApplication', applicationId]),
  }),
}));

builder.prismaObjectFields(PackageFile, (t) => ({
  package: t.field({
    type: Package,
    nullable: true,
    description: 'The package that the file belongs to.',
    select: { packageId: true },
    resolve: end(({ packageId }) => ['Package', packageId]),
  }),
}));

builder.prismaObjectFields(User, (t) => ({
  namespace: t.field({
    type: PersonalNamespace,
    nullable: true,
    description: 'The namespace of the personal projects of the user. For administrators and the user.',
    select: { namespace: { select: { id: true } } },
    resolve: end(({ namespace }) => ['PersonalNamespace', namespace?.id]),
  }),
}));

builder.prismaInterfaceFields(Namespace, (t) => ({
  parent: t.field({
    type: Group,
    nullable: true,
    description:
      'The group that the group is in; null for a top-level group, for a personal namespace, and if the caller cannot see it.',
    select: { parentId: true },
    resolve: end(({ parentId }) => ['Group', parentId]),
  }),
}));

/** The types of what audit events are about, where they are called otherwise. */
const AUDITED: Readonly<Record<string, string>> = {
  AccessToken: 'PersonalAccessToken',
  Application: 'OAuthApplication',
  Mirror: 'RemoteMirror',
};

builder.prismaObjectFields(AuditEvent, (t) => ({
  entity: t.field({
    type: Node,
    nullable: true,
    description: `The project, group or user that it was done in or to; null for the server, ${UNSEEN.replace('null ', '')}`,
    select: { projectId: true, groupId: true, userId: true },
    resolve: end(({ projectId, groupId, userId }) => {
      if (projectId !== null) return ['Project', projectId];
      return groupId === null ? ['User', userId] : ['Group', groupId];
    }),
  }),
}));

builder.objectFields(AuditEventDetails, (t) => ({
  target: t.field({
    type: Node,
    nullable: true,
    description: `The record that it was done to; null for records that have no global ID, ${UNSEEN.replace('null ', '')}`,
    resolve: end(({ targetType, targetId }) => [AUDITED[targetType] ?? targetType, targetId]),
  }),
}));
