import type { Prisma } from '#src/platform/database/db.ts';
import type { Columns } from './model.ts';

/** The types of computed fields in JSON, by model. Their SQL is in `computed_fields.ts` of the rooms in `src/domain`. */
export interface ComputedFields {
  BoardList: {
    /** How many lists of the board stand before it. */
    position: number;
  };
  ContainerRepository: {
    /** Full path of its project. */
    projectFullPath: string;
    tagsCount: number;
    /** Of its blobs, each once, in bytes. */
    size: number;
  };
  Package: {
    /** The codename of the distribution that a Debian package is in; null for others. */
    distribution: string | null;
  };
  Hook: {
    /** Whether requests carry a secret. */
    hasToken: boolean;
    /** Whether comments on what not everybody sees are sent. */
    sendsConfidentialNotes: boolean;
  };
  Issue: SubjectFields & {
    /** When it was last closed, and who closed it; null while it is open, and if that is not known. */
    closedAt: string | null;
    closedById: number | null;
    /** The issue that it is a part of. */
    parentId: number | null;
    /** Whether one of its notes tells that a merge request mentions it. */
    isMentionedByMergeRequest: boolean;
  };
  Label: {
    /** Of the issues that the actor sees. */
    openIssuesCount: number;
    closedIssuesCount: number;
    openMergeRequestsCount: number;
    /** Whether the actor follows it. */
    isSubscribed: boolean;
    /** In the project of the list, which inherits labels of groups. */
    priorityThere: number | null;
  };
  Topic: {
    /** Of the projects that the actor sees. */
    visibleProjectsCount: number;
  };
  Milestone: {
    /** Path of the page of its project or group. */
    placePath: string;
  };
  MergeRequest: SubjectFields & {
    resolvableDiscussionsCount: number;
    resolvedDiscussionsCount: number;
    /** Whether all threads allow it to be merged. */
    mergeableDiscussionsState: boolean;
    /** `unchecked` from the moment on at which one of its branches moves, until a job has looked at it. */
    currentMergeStatus: string;
    /** Of its latest version; null for a merge request that was recorded without its commits. */
    latestBaseSha: string | null;
    latestStartSha: string | null;
    /** How many files it changes, as text. */
    latestRealSize: string | null;
    /** When its first version was recorded. */
    preparedAt: string | null;
    /** The beginnings of the latest notes that people wrote, the latest first. */
    latestNotes: string[];
    /** The commits of its branches, as recorded; null for one that is not there. */
    sourceBranchSha: string | null;
    targetBranchSha: string | null;
    /** The latest pipeline of the head on the source branch. */
    headPipelineId: number | null;
    headPipelineStartedAt: string | null;
    headPipelineFinishedAt: string | null;
    /** Its status, if the merge request is open and its project wants the pipeline to have succeeded. */
    demandedPipelineStatus: Columns['Pipeline']['status'] | null;
    targetMergeMethod: Columns['Project']['mergeMethod'];
    squashOnMerge: boolean;
    /** Whether its author has merged nothing in the project before, and is below reporter there. */
    isFirstContribution: boolean;
    /** How many approvals its rules ask for, and how many of these are missing. */
    approvalsRequired: number;
    approvalsMissing: number;
    /** Whether approvals of its author, and of those who have commits in it, count for rules. */
    authorMayApprove: boolean;
    committersMayApprove: boolean;
    /** Users who have commits in it. */
    committerIds: number[];
    /** Whether it has any approval rule, also one that asks for nothing. */
    hasApprovalRules: boolean;
    /** Its rules (ApprovalRuleState). */
    approvalRuleStates: unknown;
    /** Whether rules of its own hold in place of those of its project. */
    hasOwnApprovalRules: boolean;
  };
  Namespace: {
    /** Users with a membership of the group or anything in it, without bots; null unless the actor owns it. */
    membersCount: number | null;
    /** Shares with groups that the actor sees. */
    sharedWithGroups: GroupShareRow[];
    /** The effective level of the actor in the group: the highest of it and the groups around it; 0 without any. */
    accessLevel: number;
    /** What the actor wants to hear of the group; null where nothing was chosen. */
    notificationSetting: NotificationSetting | null;
  };
  Note: {
    /** Of the record that the note is on. */
    projectId: number | null;
    /** Null for notes on snippets and commits. */
    noteableIid: number | null;
    /** Of a note on a commit, or in a thread on a commit of a merge request. */
    commitSha: string | null;
    /** Whether it is in a thread that is more than a single note. */
    isInThread: boolean;
    /** The place before its thread in the timeline of its record, in the order of threads. */
    placeBeforeThread: Record<string, unknown>;
    /** The place before the note in its thread. */
    placeInThread: Record<string, unknown>;
    thread: ThreadFacts | null;
    /** The lines that are shown with its thread; null for a thread on no line. */
    diffLines: unknown;
    /** Null unless it is on a line or file of a merge request. */
    suggestionFacts: SuggestionFacts[] | null;
  };
  OAuthApplication: {
    /** Whether it has a secret; programs on the machines of users cannot keep one. */
    confidential: boolean;
  };
  GpgKey: {
    /** Those of its addresses that are confirmed ones of the user, in alphabetical order. */
    verifiedEmails: string[];
  };
  Invitation: {
    /** Name of the user whose confirmed address it is; null if nobody's. */
    userName: string | null;
  };
  DeployToken: {
    expired: boolean;
  };
  PersonalAccessToken: {
    /** Neither revoked nor expired. */
    active: boolean;
    /** Of the bot in the project or group that the token is for; null for tokens of people, and if it is no member any more. */
    accessLevel: number | null;
  };
  Project: {
    /** How many approvals its rule for any approver asks for; 0 without one. */
    approvalsBeforeMerge: number;
    fullPath: string;
    fullName: string;
    /** The user whose personal namespace holds the project; null in groups. */
    ownerId: number | null;
    /** Whether the actor may see it. */
    isVisible: boolean;
    /** The effective level of the actor; 0 without any. */
    accessLevel: number;
    /** Level of the actor's own membership of the project; null without. */
    projectMembership: number | null;
    /** The highest level of the actor's memberships of the group and the groups around it; null without. */
    groupMembership: number | null;
    /** Those that the actor sees. */
    openIssuesCount: number;
    /** Whether the actor starred it. */
    isStarred: boolean;
    /** What the actor wants to hear of the project, and of its group; null where nothing was chosen. */
    notificationSetting: NotificationSetting | null;
    groupNotificationSetting: NotificationSetting | null;
    /** Shares with groups that the actor sees. */
    /** Whether its repository has no branch. */
    isEmpty: boolean;
    sharedWithGroups: ProjectShareRow[];
  };
  Snippet: {
    /** Its files, in order, without their texts. */
    files: { snippetId: number; position: number; name: string; size: number }[];
    /** Whether the actor sees it by its visibility alone. */
    isOpen: boolean;
    /** Whether the actor sees it as a member of its project. */
    isOpenToMember: boolean;
  };
  TerraformState: {
    versionsCount: number;
    /** Of the newest version; null without one. */
    serial: number | null;
    /** The same, in bytes. */
    size: number | null;
  };
  Pipeline: { projectFullPath: string };
  Environment: {
    /** The latest deployment that succeeded; null before that. */
    lastDeploymentId: number | null;
  };
  Deployment: {
    /** The commit that was deployed to the environment before; null for the first one. */
    previousSha: string | null;
  };
  ResourceGroup: {
    /** The job that runs, or waits for a runner. */
    currentJobId: number | null;
  };
  PipelineSchedule: {
    /** The latest pipeline that it started; null before that. */
    lastPipelineId: number | null;
  };
  Job: {
    /** What the file says of its artifacts. */
    artifactsOptions: unknown;
    projectFullPath: string;
    /** The pipeline that it started; null for most jobs. */
    downstreamPipelineId: number | null;
  };
  /** Whether it runs a job. */
  Runner: { isBusy: boolean };
  RunnerManager: { isBusy: boolean };
  ImportSourceUser: {
    /** How many memberships are kept for whoever takes the placeholder over. */
    membershipCount: number;
  };
  User: {
    /** MD5 of the primary address, under which the avatar service knows the user. */
    avatarHash: string;
    /** Whether the limit leaves room for another personal project. */
    canCreateProject: boolean;
    /** The primary address, for where every reader sees it, such as that of the author of a comment on a commit. */
    shownEmail: string;
    /** Whether sign-in by password is refused for now, after too many wrong ones. */
    locked: boolean;
    /** The SSH keys that let the user in, as type and base64, and the GPG keys with a confirmed address, in their armor; oldest first. */
    sshPublicKeys: string[];
    gpgPublicKeys: string[];
    /** How many users follow the user, and how many the user follows. */
    followersCount: number;
    followingCount: number;
  };
}

/** Parameters of statements for computed fields that depend on more than the row. */
export interface Params {
  /** The caller; null for anonymous requests. */
  actor: Pick<Columns['User'], 'id' | 'username' | 'admin' | 'external'> | null;
  /** Full path of the project, where all rows are of one. */
  projectPath: string | Prisma.Sql;
  /** Whether the actor sees all confidential issues of the project. */
  confidential: boolean | Prisma.Sql;
  /** The ID of the project that has the labels of a list; without it, their counts are of all `places` (seenPlaces). */
  labelsOf: number | Prisma.Sql;
  /** Whether its issues and merge requests are there for the actor: what is not, is not counted. */
  labelsCount: { issues: boolean | Prisma.Sql; mergeRequests: boolean | Prisma.Sql };
}

/** Of issues and merge requests. */
interface SubjectFields {
  projectFullPath: string;
  /** Titles of its labels in their order. */
  labelTitles: string[];
  /** The IDs of its assignees in their order. */
  assigneeIds: number[];
  /** How many notes people wrote, without internal ones. */
  userNotesCount: number;
  upvotes: number;
  downvotes: number;
  /**
   * Whether the actor follows it: by explicit choice, else as a participant, that is author, an assignee, author of a note or
   * mentioned (behaviour.md 8).
   */
  isSubscribed: boolean;
  /** In seconds. */
  totalTimeSpent: number;
}

/** What is known of the thread of a note, if it can be resolved or is on a line. */
export interface ThreadFacts {
  /** Whether it can be resolved. */
  isResolvable: boolean;
  resolvedAt: string | null;
  /** Null also when that user is gone. */
  resolvedById: number | null;
  /** Null once the line was changed or removed; both are null for threads that are on no line. */
  position: unknown;
  originalPosition: unknown;
  /** Who may resolve it depends on these. */
  projectId: number;
  authorId: number;
}

/** A suggestion of a note, with what decides whether it can be applied. */
export interface SuggestionFacts {
  id: number;
  linesAbove: number;
  linesBelow: number;
  fromContent: string;
  toContent: string;
  /** The commit that applied it. */
  commitSha: string | null;
  /** Number of the line of the thread in its latest version, on the new side. */
  line: number;
  isOutdated: boolean;
  /** Whether the merge request is open. */
  isOpen: boolean;
  /** Of the merge request; null if the source project is gone. */
  sourceProjectId: number | null;
  sourceBranch: string;
}

/** What a user wants to hear of in a place. */
export interface NotificationSetting {
  level: Columns['NotificationSetting']['level'];
  /** The kinds that are wanted where the level is `custom`. */
  events: Readonly<Omit<Columns['NotificationSetting'], 'id' | 'userId' | 'projectId' | 'namespaceId' | 'level'>>;
}

/** Access that a group gives to the members of another one. */
export interface GroupShareRow {
  id: number;
  groupId: number;
  groupName: string;
  groupFullPath: string;
  /** The highest level that it gives. */
  groupAccessLevel: number;
  /** Gives nothing from this day on. */
  expiresAt: string | null;
}

/** Access that a project gives to the members of a group. */
export interface ProjectShareRow {
  id: number;
  projectId: number;
  groupId: number;
  groupName: string;
  groupFullPath: string;
  /** The highest level that it gives. */
  groupAccessLevel: number;
  /** Gives nothing from this day on. */
  expiresAt: string | null;
}
