import { type Payload, projectRecord, type Surroundings, userRecord } from '#src/domain/webhooks/payload/common.ts';
import type { FeatureFlagColumns, ProjectFacts, UserFacts } from '#src/domain/webhooks/payload/facts.ts';

interface FeatureFlagFacts {
  flag: FeatureFlagColumns;
  project: ProjectFacts;
  user: UserFacts | null;
}

/** The payload for a feature flag that was turned on or off. */
export function featureFlagPayload({ flag, project, user }: FeatureFlagFacts, around: Surroundings): Payload {
  const { id, name, description, active } = flag;
  return {
    object_kind: 'feature_flag',
    project: projectRecord(project, around),
    user: userRecord(user, around),
    user_url: user && `${around.baseUrl}/${user.username}`,
    object_attributes: { id, name, description, active },
  };
}
