/** What the templates of pages about pipelines get of their project, and of the section that they belong to. */
export function ciFrame<P>(project: P, section: string) {
  return { project, tab: 'pipelines', section };
}

/** The states in which a pipeline or job can still change by itself. */
export const ACTIVE = ['CREATED', 'PENDING', 'RUNNING', 'SCHEDULED', 'WAITING_FOR_RESOURCE', 'CANCELING'];
