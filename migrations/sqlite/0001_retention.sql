ALTER TABLE `configuration_versions` ADD `backing_data_deleted_at` integer;--> statement-breakpoint
ALTER TABLE `organizations` ADD `retention` text;--> statement-breakpoint
ALTER TABLE `state_versions` ADD `backing_data_deleted_at` integer;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `retention` text;--> statement-breakpoint
CREATE INDEX `configuration_versions_deleted_idx` ON `configuration_versions` (`backing_data_deleted_at`);--> statement-breakpoint
CREATE INDEX `state_versions_deleted_idx` ON `state_versions` (`backing_data_deleted_at`);