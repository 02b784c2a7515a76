import { provePlaces } from './places.ts';
import { trackingRules } from './project_rules.ts';

await provePlaces(trackingRules);
