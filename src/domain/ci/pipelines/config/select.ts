import type { Config, JobConfig } from '#src/domain/ci/pipelines/config/model.ts';
import { PatternMatcher, splitEntry } from '#src/domain/ci/pipelines/config/pattern.ts';

/** The reason for a pipeline. */
export interface Occasion {
  ref: string;
  tag: boolean;
  source: 'push' | 'api' | 'trigger' | 'merge_request_event';
  /** The source branch, in the place of the ref of a merge request. */
  branch?: string;
  /** Full path of the project. */
  project: string;
}

/** Words of `only` and `except` for the sources of pipelines. */
const SOURCES: Record<string, Occasion['source']> = { pushes: 'push', api: 'api', triggers: 'trigger' };
/** The word for merge requests, whose pipelines have only jobs that ask for it. */
const MERGE_REQUESTS = 'merge_requests';

/** The jobs of the file for this occasion. Throws InvalidConfig if its patterns take too long. */
export function selectJobs({ jobs }: Config, occasion: Occasion): JobConfig[] {
  const matcher = new PatternMatcher();
  const fits = (entry: string) => meets(entry, occasion, matcher);
  const isOfMergeRequest = occasion.source === 'merge_request_event';
  return jobs.filter(({ only, except }) => {
    return (only === null ? !isOfMergeRequest : only.some(fits)) && !except?.some(fits);
  });
}

/** Whether an entry matches the occasion: `branches`, `master`, `/^v\d/`, each optionally limited by `@group/project`. */
function meets(entry: string, { ref, tag, source, project }: Occasion, matcher: PatternMatcher): boolean {
  const { wanted, place } = splitEntry(entry);
  if (source !== 'merge_request_event' && entry === ref) return true;
  if (place !== null && place.toLowerCase() !== project.toLowerCase()) return false;
  if (source === 'merge_request_event') return wanted === MERGE_REQUESTS;
  if (wanted === 'branches') return !tag;
  if (wanted === 'tags') return tag;
  if (Object.hasOwn(SOURCES, wanted) && SOURCES[wanted] === source) return true;
  return wanted.startsWith('/') ? matcher.matches(wanted, ref) : wanted === ref;
}
