/** The reason for a pipeline. */
export interface PipelineOrigin {
  ref: string;
  tag: boolean;
  source: PipelineSource;
  /** The source branch, in the place of the ref of a merge request. */
  branch?: string;
  /** Full path of the project. */
  project: string;
}

export type PipelineSource =
  | 'push'
  | 'api'
  | 'trigger'
  | 'merge_request_event'
  | 'schedule'
  | 'web'
  | 'pipeline'
  | 'parent_pipeline';
