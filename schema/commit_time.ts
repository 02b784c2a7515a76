/** The time of a commit: seconds since 1970, and minutes east of UTC. */
export interface CommitTime {
  seconds: number;
  offset: number;
}
