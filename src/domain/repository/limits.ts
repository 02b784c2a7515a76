/** What repositories, jobs and those who read and write them may take of the machine, in bytes (README.md, Configuration). */
export interface RepositoryLimits {
  /** The largest content that is given within an answer; what is larger has to be streamed. */
  inlineBytes: number;
  /** The largest object that is pushed or imported. */
  objectBytes: number;
  /** The most that one push sends. */
  pushBytes: number;
  /** What a compressed body of a git client may unpack to. */
  unzippedBytes: number;
  /** What the files of an archive have together. */
  archiveBytes: number;
  /** What a repository may take on the disk; Infinity where it is not limited. */
  quotaBytes: number;
  /** What is kept of the trace of a job. */
  traceBytes: number;
  /** The largest artifacts of a job; 0 where none are taken. */
  artifactsBytes: number;
}

export const DEFAULT_LIMITS: RepositoryLimits = {
  inlineBytes: 20 * 1024 ** 2,
  objectBytes: 2 * 1024 ** 3,
  pushBytes: 4 * 1024 ** 3,
  unzippedBytes: 16 * 1024 ** 2,
  archiveBytes: 2 * 1024 ** 3,
  quotaBytes: Number.POSITIVE_INFINITY,
  traceBytes: 4 * 1024 ** 2,
  artifactsBytes: 100 * 1024 ** 2,
};
