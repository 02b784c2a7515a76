import type { Actor } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';

/** Who publishes a file in which project. */
export interface DebianPublisher {
  actor: Actor;
  project: ProjectRow;
}

/** What is kept of a file of a Debian package beside its checksums: the details of the file. */
export interface DebianFacts {
  /** `deb` and `udeb` are in indexes of binary packages, `dsc` in those of sources. */
  kind: 'deb' | 'udeb' | 'dsc' | 'file';
  /** The paragraph that the package says of itself, as text. */
  control?: string;
  architecture?: string;
  /** The codename of the distribution that it is published in, and its component there; absent until it is. */
  distribution?: string;
  component?: string;
}
