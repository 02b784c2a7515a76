-- Issues of before have not been arranged.
ALTER TABLE "issues" ADD COLUMN "relative_position" INTEGER;
