import type { DiffPosition } from '#src/domain/tracking/discussions/position.ts';
import type { RecordedMergeFacts } from '#src/domain/tracking/merge_requests/mergeable.ts';

/** The facts that the database recorded for an event, as of that moment. Keys are column names. */

export interface UserFacts {
  id: number;
  name: string;
  username: string;
  email: string;
  avatarKey: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface ProjectFacts {
  id: number;
  name: string;
  description: string | null;
  path: string;
  fullPath: string;
  /** Name of the namespace. */
  namespace: string;
  visibility: 'private' | 'internal' | 'public';
  defaultBranch: string | null;
  ownerName: string;
  /** Empty for projects of groups. */
  ownerEmail: string;
  createdAt: string;
  updatedAt: string;
}

export interface LabelFacts {
  id: number;
  title: string;
  color: string;
  project_id: number | null;
  /** Absent in facts that a server of the previous version wrote. */
  group_id?: number | null;
  description: string | null;
  created_at: string;
  updated_at: string;
}

/** The common columns of issues and merge requests. */
export interface SubjectColumns {
  id: number;
  iid: number;
  title: string;
  description: string | null;
  state: string;
  author_id: number;
  assignee_id: number | null;
  /** Absent from events that were recorded before there were several. */
  assignee_ids?: number[];
  milestone_id: number | null;
  time_estimate: number;
  created_at: string;
  updated_at: string;
  /** Absent from events of earlier versions, as are the next. */
  assignee?: UserFacts | null;
  labels?: LabelFacts[];
  updated_by_id?: number | null;
  last_edited_by_id?: number | null;
  last_edited_at?: string | null;
}

export interface IssueColumns extends SubjectColumns {
  project_id: number;
  confidential: boolean;
  due_date: string | null;
  moved_to_id: number | null;
  /** Absent from events of earlier versions, as are the next. */
  discussion_locked?: boolean | null;
  closed_at?: string | null;
  relative_position?: number | null;
  type?: string;
  severity?: string;
}

export interface MergeRequestColumns extends SubjectColumns {
  target_project_id: number;
  source_project_id: number | null;
  source_branch: string;
  target_branch: string;
  sha: string | null;
  merge_status: string;
  merge_commit_sha: string | null;
  merge_user_id: number | null;
  merge_when_pipeline_succeeds: boolean;
  reviewer_ids?: number[];
  /** Absent from events of earlier versions, as are the next. */
  record?: MergeRequestRecord;
  squash?: boolean;
  discussion_locked?: boolean | null;
  merge_error?: string | null;
  force_remove_source_branch?: boolean | null;
}

/** What was worked out of a merge request. */
export interface MergeRequestRecord extends RecordedMergeFacts {
  preparedAt: string | null;
  headPipelineId: number | null;
  isFirstContribution: boolean;
}

export interface SnippetColumns {
  id: number;
  title: string;
  file_name: string;
  author_id: number;
  project_id: number;
  visibility: string;
  created_at: string;
  updated_at: string;
}

export interface NoteColumns {
  id: number;
  body: string;
  author_id: number;
  subject_type: string;
  subject_id: number;
  system: boolean;
  source_type: string | null;
  discussion_id: number | null;
  /** Missing in events of earlier versions. */
  starts_thread?: boolean;
  created_at: string;
  updated_at: string;
}

/** Of a thread that can be resolved. */
export interface ThreadColumns {
  resolved_at: string | null;
  resolved_by_id: number | null;
  position: DiffPosition | null;
  original_position: DiffPosition | null;
  commit_sha: string | null;
}

export interface CommentColumns {
  id: number;
  note: string;
  sha: string;
  author_id: number;
  path: string | null;
  line: number | null;
  line_type: string | null;
  position?: DiffPosition | null;
  discussion_id?: number | null;
  starts_thread?: boolean;
  created_at: string;
  updated_at?: string | null;
}

export interface ReleaseColumns {
  id: number;
  tag: string;
  name: string | null;
  description: string;
  created_at: string;
  released_at: string;
}

export interface ReleaseLinkFacts {
  id: number;
  type: string;
  name: string;
  url: string;
}

export interface FeatureFlagColumns {
  id: number;
  name: string;
  description: string | null;
  active: boolean;
}

export interface JobFacts {
  id: number;
  name: string;
  stage: string;
  status: string;
  allowFailure: boolean;
  when: string;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  runner: { id: number; description: string; active: boolean; isShared: boolean } | null;
  artifactsFilename: string | null;
  artifactsSize: number | null;
  user: UserFacts | null;
}

export interface PipelineFacts {
  id: number;
  ref: string;
  tag: boolean;
  sha: string;
  beforeSha: string | null;
  status: string;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  duration: number | null;
  user: UserFacts | null;
}

export interface Difference {
  previous: unknown;
  current: unknown;
}

/** A change of an issue or merge request. */
export interface ChangeFacts {
  action: string;
  user: UserFacts | null;
  assignee: UserFacts | null;
  /** Absent from events that were recorded before there were several, as is the next. */
  assignees?: UserFacts[];
  /** The assignees before; null if they are the same. */
  assigneesBefore?: UserFacts[] | null;
  /** Of merge requests. */
  reviewers?: (UserFacts & { state: string })[];
  reviewersBefore?: UserFacts[] | null;
  project: ProjectFacts;
  /** Time spent, in seconds. */
  spent: number;
  labels: LabelFacts[];
  /** Removed labels, and the IDs of added ones. */
  removed: LabelFacts[];
  added: number[];
  /** Seconds of work that were added, or taken away; absent from events of earlier versions. */
  timeChange?: number;
  changes: Record<string, Difference>;
}
